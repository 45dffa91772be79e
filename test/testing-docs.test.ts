import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { buildServer } from './support/build';

const ROOT = join(__dirname, '..');
/** Where `frontdesk/testing` is this package's own. */
const FILE = join(ROOT, `.testing-docs-${process.pid}.cjs`);

afterAll(() => rmSync(FILE, { force: true }));

test('the blocks of docs/testing.md pass, as one file of node:test', async () => {
  buildServer();
  const blocks = [...readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThan(4);
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  writeFileSync(FILE, ts.transpileModule(blocks.join('\n'), { compilerOptions }).outputText);
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', FILE], {
    env: { PATH: process.env.PATH },
  });
  expect(stdout).toMatch(new RegExp(`^# pass ${blocks.length}$`, 'm'));
});
