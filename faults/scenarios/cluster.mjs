import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../bench/harness/paths.mjs';
import { must } from '../harness/table.mjs';

export const name = 'cluster';
const SCRIPT = join(ROOT, 'test', 'cluster', 'run.mjs');

/** `npm run test:cluster`: kills, stops and freezes a node of three under load. Too slow for the short run. */
export async function run(context) {
  if (context.either(false, true)) {
    context.logProgress(`${name}: left to the whole form`);
    return [];
  }
  const ending = await promisify(execFile)(process.execPath, [SCRIPT]).catch((error) => error); // 1 if a bound is missed
  const [, table] = (ending.stdout ?? '').split(/^\| bound .*\n.*\n/m);
  if (table === undefined) throw new Error(ending.stderr);
  const rows = table.split('\n\n')[0].split('\n');
  return rows.map((row) => {
    const [what, bound, measured, met] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return must(what, measured, bound, met === 'yes');
  });
}
