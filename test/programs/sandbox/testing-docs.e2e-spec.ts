/** @mysql never */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';
import { buildServer, CLI_SCRIPT } from '../../support/jest/build';
import COMPILER from '../../support/jest/compiler.cjs';
import { longTest } from '../../support/jest/size';

const ROOT = join(__dirname, '../../..');
/** In the root, so that `frontdesk/testing` is this package. */
const FILE = join(ROOT, `.testing-docs-${process.pid}.cjs`);

const PAGES = ['testing-with-the-sandbox.md', 'sandbox-failures.md', 'sandbox-command.md'];
const GUIDE = PAGES.map((page) => readFileSync(join(ROOT, 'docs/guides', page), 'utf8')).join('\n');

beforeAll(() => buildServer());
afterAll(() => rmSync(FILE, { force: true }));

longTest('the code blocks of the guides pass as one node:test file', async () => {
  const blocks = [...GUIDE.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThan(4);
  writeFileSync(FILE, transformSync(blocks.join('\n'), COMPILER).code);
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', FILE], {
    env: { PATH: process.env.PATH },
  });
  expect(stdout).toMatch(new RegExp(`^# pass ${blocks.length}$`, 'm'));
});

/** A Jest of its own, which begins without a cache. */
const JEST_MS = 300_000;

longTest(
  'the guide’s Jest test passes with the guide’s configuration',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'jest.config.json'), /^```json\n(.*?)^```$/ms.exec(GUIDE)![1]);
    mkdirSync(join(folder, 'test'));
    writeFileSync(join(folder, 'test/first.test.ts'), /^```typescript\n(.*?)^```$/ms.exec(GUIDE)![1]);
    try {
      const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
      // The limit, because a Jest whose sandbox is still running doesn't end.
      const options = { cwd: folder, env: { PATH: process.env.PATH }, timeout: JEST_MS / 2 };
      const { stderr } = await promisify(execFile)(process.execPath, [jest, '--ci'], options);
      expect(stderr).toContain('1 passed, 1 total');
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  JEST_MS,
);

longTest('the GitHub Actions step starts a sandbox and exports its URL and key', async () => {
  const [, indented] = /- name: Start a sandbox\n +run: \|\n(.*?)^ +- run:/ms.exec(GUIDE)!;
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  const variables = join(folder, 'variables');
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', '.bin', 'frontdesk'), `#!/bin/sh\nexec node ${CLI_SCRIPT} "$@"\n`, { mode: 0o755 });
  const env = { PATH: process.env.PATH, HOME: folder, GITHUB_ENV: variables };
  const step = spawn('bash', ['-e', '-c', indented.replace(/^ +/gm, '')], { cwd: folder, env, detached: true, stdio: 'inherit' });
  try {
    expect(await once(step, 'exit')).toEqual([0, null]);
    const { FRONTDESK_URL, FRONTDESK_KEY } = Object.fromEntries(
      readFileSync(variables, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2)),
    ) as Record<string, string>;
    const response = await fetch(`${FRONTDESK_URL}/api/domains`, { headers: { Authorization: `Bearer ${FRONTDESK_KEY}` } });
    expect(response.status).toBe(200);
  } finally {
    process.kill(-step.pid!); // the sandbox is in its group
    rmSync(folder, { recursive: true });
  }
});
