import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../bench/harness/processes.mjs';

export function hasSqlmap() {
  return run('sqlmap', ['--version']).then(
    () => true,
    () => false,
  );
}

/** `found` if sqlmap finds a hole, `clean` if it tried and found none, otherwise its output. */
export async function runSqlmap(folder, { url, method = 'GET', form, headers = {}, parameter }, effort) {
  const home = mkdtempSync(join(folder, 'sqlmap-'));
  const output = await run(
    'sqlmap',
    [
      ...['--url', url, '--method', method, '--batch', '--flush-session', '--disable-coloring', '--output-dir', home],
      ...['--dbms', 'mysql', '--ignore-code', '*', ...effort],
      ...(form ? ['--data', form] : []),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...(parameter ? ['-p', parameter] : []),
    ],
    { env: { PATH: process.env.PATH, HOME: home } },
  ).catch(({ message }) => message);
  if (/identified the following injection point/.test(output)) return 'found';
  if (/all tested parameters do not appear to be injectable/.test(output)) return 'clean';
  return output.slice(-1_000);
}
