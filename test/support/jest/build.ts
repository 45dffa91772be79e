import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
/** Its modification time is the start of the last successful build, by `npm run build` or here. */
const BUILT = join(ROOT, 'dist', '.built');
/** The compiler's incremental state. */
const BUILD_INFO = join(ROOT, 'dist', '.tsbuildinfo');
const SOURCES = ['src', 'ormconfig.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'node_modules/.package-lock.json'];

/** What `npm start` runs. */
export const SERVER_SCRIPT = join(ROOT, 'dist', 'src', 'main.js');

/** What `npm run frontdesk` runs. */
export const CLI_SCRIPT = join(ROOT, 'dist', 'src', 'cli.js');

/** Brings dist/ up to date, so that the tests that start the server as a process of its own start this source. */
export function buildServer(): void {
  if (process.env.TEST_SERVER_IS_BUILT) return;
  if (!isUpToDate()) build(); // the compiler takes seconds to find nothing to do
  process.env.TEST_SERVER_IS_BUILT = 'yes';
}

/** Includes folders, whose time changes when a file is added, removed or renamed. */
function isUpToDate(): boolean {
  const built = changed(BUILT);
  const within = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name));
  return [...SOURCES, ...within].every((name) => changed(join(ROOT, name)) < built);
}

function changed(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function build(): void {
  const begun = new Date();
  if (!existsSync(SERVER_SCRIPT)) rmSync(BUILD_INFO, { force: true }); // else the compiler takes its output for written
  const compiler = require.resolve('typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The server can't be built:\n${stdout}`);
  writeFileSync(BUILT, '');
  utimesSync(BUILT, begun, begun);
}
