import { startHelper } from './helper.mjs';

/**
 * Requests one path over several connections for some seconds, from another process. Counts: `answered` with success,
 * `refused` otherwise, `lost` without a response. Latencies of all responses, in milliseconds.
 */
export function load(port, key, { connections, seconds, path }) {
  return startHelper('load-process.mjs', { port, key, connections, seconds, path }).report;
}
