/** @mysql never */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI_SCRIPT } from '../../support/jest/build';
import { runProcess } from '../../support/areas/command';
import { createDatabase } from '../../support/servers/database';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const folder = useTemporaryFolder();

/** What parsing a command line needs. */
const LIGHT = /\/dist\/src\/|\/dist\/package\.json$|\/node_modules\/(commander|ipaddr\.js)\//;

/** Runs every command with `--help` and with an unknown option, and one with an invalid value. */
const SCRIPT = `
  const { createProgram, runCommandLine } = require('./programs/commands/command-line.js');
  const { Extensions } = require('./platform/extensions/extensions.js');
  const pathsOf = (command, path) => [path, ...command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))];
  const paths = pathsOf(createProgram(new Extensions()), []);
  process.exit = () => { throw new Error('ended'); };
  process.stdout.write = () => true;
  (async () => {
    for (const path of paths)
      for (const last of ['--help', '--mistyped']) await runCommandLine(['node', 'frontdesk', ...path, last]);
    await runCommandLine(['node', 'frontdesk', 'keys', 'create', '--account', 'acme', '--expires', '90']);
    delete process.stdout.write;
    console.log(JSON.stringify({ paths, files: Object.keys(require.cache) }));
    process.exitCode = 0;
  })();`;

test('--help and invalid arguments load neither Nest nor TypeORM', () => {
  const cwd = join(CLI_SCRIPT, '..');
  const output = execFileSync(process.execPath, ['-e', SCRIPT], { cwd, env: {}, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { paths, files } = JSON.parse(output) as { paths: string[][]; files: string[] };
  expect(paths.length).toBeGreaterThan(40);
  expect(paths).toContainEqual(['accounts', 'list']);
  expect(files.filter((file) => !LIGHT.test(file))).toEqual([]);
});

test('accounts create loads no package that serves HTTP', async () => {
  const database = await createDatabase();
  const list = folder.path('files.json');
  const hook = folder.file(
    'list-files.cjs',
    `process.on('exit', () => require('node:fs').writeFileSync('${list}', JSON.stringify(Object.keys(require.cache))));`,
  );
  const ran = await runProcess({ ...database.env, NODE_OPTIONS: `--require=${hook}` }, 'accounts', 'create', 'acme');
  await database.drop();
  expect(ran).toMatchObject({ code: 0, stdout: 'Account 1, acme.\n' });
  const files = JSON.parse(readFileSync(list, 'utf8')) as string[];
  const packages = new Set(files.map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]));
  expect([...packages]).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm', 'libsql']));
  expect(['express', '@nestjs/swagger', 'class-validator'].filter((name) => packages.has(name))).toEqual([]);
});
