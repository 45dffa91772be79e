import { runWrk } from './wrk.mjs';

const BOUNDARY = 'frontdesk-bench'; // also in load.lua
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A multipart/form-data body, as the API accepts. */
export function form(fields) {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

let runs = 0;

/**
 * Loads a server with one workload for some seconds, from another process.
 * Requests per second; latencies in milliseconds. @throws Error if a response was lost or not a success
 */
export async function load(server, { name, connections, requests }, key, seconds) {
  const unique = `${Date.now()}${++runs}`;
  const templates = requests.flatMap(({ weight, method, path, body }) => [weight, method, path, body]);
  const args = [unique, key, ...templates];
  const { refused, lost, ...figures } = await runWrk({ script: 'load.lua', address: server.address, connections, seconds, args });
  if (refused > 0 || lost > 0) {
    throw new Error(`${server.name}, ${name}: ${figures.answered} answers, ${refused} of them not a success; ${lost} were lost.`);
  }
  return figures;
}
