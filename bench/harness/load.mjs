import { join } from 'node:path';
import { run } from './processes.mjs';

const BOUNDARY = 'frontdesk-bench'; // also in load.lua
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const SCRIPT = join(import.meta.dirname, 'load.lua');

/** A multipart/form-data body, as the API accepts. */
export function form(fields) {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

let runs = 0;

/**
 * Loads a server with one work for some seconds, from another process.
 * Requests per second; latencies in milliseconds. @throws Error if a response was lost or not a success
 */
export async function load(server, { name, connections, requests }, key, seconds) {
  const unique = `${Date.now()}${++runs}`;
  const templates = requests.flatMap(({ weight, method, path, body }) => [weight, method, path, body]);
  const options = ['-t', 1, '-c', connections, '-d', `${seconds}s`, '--timeout', '60s', '-s', SCRIPT, server.address, '--'];
  const output = await run('wrk', [...options, unique, key, ...templates].map(String));
  const { answered, refused, lost, microseconds, p50, p99 } = JSON.parse(output.trimEnd().split('\n').at(-1));
  if (refused > 0 || lost > 0) {
    throw new Error(`${server.name}, ${name}: ${answered} answers, ${refused} of them not a success; ${lost} were lost.`);
  }
  return { answered, rate: answered / (microseconds / 1e6), p50: p50 / 1e3, p99: p99 / 1e3 };
}
