import { existsSync, readFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './paths.mjs';
import { run } from './processes.mjs';

const NAMED = ['@nestjs/core', 'typeorm', 'mysql2', 'libsql', 'nestjs-paginate', '@dataui/crud'];

/** The environment that figures depend on, as lines of a Markdown list. */
export async function describeMachine(servers) {
  const [{ model }] = cpus();
  const files = (await run('stat', ['-f', '-c', '%T', tmpdir()])).trim();
  const commit = (await run('git', ['describe', '--always', '--dirty'], { cwd: ROOT })).trim();
  const wrk = (await run('sh', ['-c', 'wrk -v | head -1'])).split(' [')[0];
  return [
    `- ${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Linux ${release()}, database files on ${files}`,
    `- Node ${process.version}; load from ${wrk}`,
    `- frontdesk at ${commit}: ${versions(ROOT)}`,
    ...servers.filter(({ name }) => name !== 'frontdesk').map(({ name, script }) => `- ${name}: ${versions(packageOf(script))}`),
  ];
}

/** The folder with a script's installed packages. */
function packageOf(script) {
  let folder = dirname(script);
  while (!existsSync(join(folder, 'node_modules'))) folder = dirname(folder);
  return folder;
}

function versions(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return NAMED.filter((name) => name in dependencies)
    .map((name) => `${name} ${JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version}`)
    .join(', ');
}
