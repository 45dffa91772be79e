import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** What `npm start` runs. */
export const SERVER_SCRIPT = join(ROOT, 'dist', 'src', 'main.js');

/** What `npm run frontdesk` runs. */
export const CLI_SCRIPT = join(ROOT, 'dist', 'src', 'cli.js');

/** Brings dist/ up to date, so that the tests that start the server as a process of its own start this source. */
export function buildServer(): void {
  if (process.env.TEST_SERVER_IS_BUILT) return;
  const compiler = require.resolve('typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The server can't be built:\n${stdout}`);
  process.env.TEST_SERVER_IS_BUILT = 'yes';
}
