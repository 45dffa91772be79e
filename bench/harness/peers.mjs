import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, ROOT } from './paths.mjs';
import { run } from './processes.mjs';

const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Installs the peers' packages if the lock file is newer, and compiles those in TypeScript. */
export async function preparePeers(servers, logProgress) {
  for (const { name, folder: own = name } of servers) {
    const folder = join(BENCH, 'peers', own);
    if (!existsSync(folder)) continue; // the service itself
    if (existsSync(join(folder, 'package.json')) && !isInstalled(folder)) {
      logProgress(`installing the packages of ${name}`);
      await run('npm', ['ci', '--ignore-scripts'], { cwd: folder });
    }
    if (existsSync(join(folder, 'tsconfig.json'))) await run(process.execPath, [COMPILER, '-p', folder]);
  }
}

function isInstalled(folder) {
  const installed = join(folder, 'node_modules/.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;
}
