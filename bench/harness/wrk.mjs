import { join } from 'node:path';
import { run } from './processes.mjs';

export async function requireWrk() {
  await run('sh', ['-c', 'command -v wrk']).catch(() => {
    throw new Error('wrk is not installed: apt-get install wrk');
  });
}

/**
 * Generates load from another process with a script of this folder, on a core if one is given.
 * Requests per second; latencies in milliseconds. `refused` counts answers that were not a success.
 */
export async function runWrk({ script, address, connections, seconds, args, core }) {
  const options = ['-t', 1, '-c', connections, '-d', `${seconds}s`, '--timeout', '60s'];
  const command = ['wrk', ...options, '-s', join(import.meta.dirname, script), address, '--', ...args].map(String);
  const [program, ...rest] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const output = await run(program, rest);
  const { microseconds, p50, p99, ...counts } = JSON.parse(output.trimEnd().split('\n').at(-1));
  return { ...counts, rate: counts.answered / (microseconds / 1e6), p50: p50 / 1e3, p99: p99 / 1e3 };
}
