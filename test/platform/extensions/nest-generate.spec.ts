import { ProjectCopy } from '../../support/extensions/project-copy';
import { withServer } from '../../support/servers/server-process';
import { longTest } from '../../support/jest/size';

const ROUTES = ['create', 'findAll', 'findOne', 'update', 'remove'];

let copy: ProjectCopy;

beforeEach(() => {
  copy = new ProjectCopy();
});

afterEach(() => copy.remove());

longTest(
  'code from `nest g resource` compiles and passes its specs, and the start reports its routes without a scope',
  async () => {
    await generate('widgets', '--no-spec');
    await generate('gadgets');
    for (const project of ['tsconfig.json', 'tsconfig.build.json']) {
      const compiled = await copy.run('node_modules/typescript/bin/tsc', ['-p', project, '--noEmit']);
      expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
    }
    expect(await specsOf('src/(widgets|gadgets)/')).toEqual({
      'gadgets.controller.spec.ts': 'passed',
      'gadgets.service.spec.ts': 'passed',
    });

    copy.build();
    const starting = withServer({ DATABASE_URL: `sqlite:${copy.folder}/frontdesk.sqlite` }, () => Promise.resolve(), copy.serverScript);
    const reason = await starting.then(String, ({ message }: Error) => message);
    const routes = ['WidgetsController', 'GadgetsController'].flatMap((name) => ROUTES.map((route) => `${name}.${route}`));
    expect(reason).toContain('ended with code 1');
    expect(reason.match(/\w+\.\w+(?= has neither @Scope\(\) nor @Public\(\): add )/g)?.sort()).toEqual(routes.sort());
  },
  600_000,
);

async function generate(name: string, ...options: string[]): Promise<void> {
  const args = ['g', 'resource', name, ...options, '--type', 'rest', '--crud'];
  const generated = await copy.run('node_modules/@nestjs/cli/bin/nest.js', args);
  expect(generated).toEqual({ code: 0, stdout: expect.stringContaining(`src/${name}/${name}.controller.ts`) as string, stderr: '' });
}

/** The result of each spec file under these paths. */
async function specsOf(paths: string): Promise<Record<string, string>> {
  const { stdout } = await copy.run('node_modules/jest/bin/jest.js', [paths, '--selectProjects', 'unit', '--json'], {
    TEST_SIZE: undefined,
  });
  const { testResults } = JSON.parse(stdout) as { testResults: { name: string; status: string }[] };
  return Object.fromEntries(testResults.map(({ name, status }) => [name.split('/').at(-1)!, status]));
}
