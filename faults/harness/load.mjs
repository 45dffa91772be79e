import { startHelper } from './helper.mjs';

/**
 * Asks for one path over some connections for some seconds, from another process: `answered` by success, `refused`
 * otherwise, `lost` without an answer; latencies of all that was answered in milliseconds.
 */
export function load(port, key, { connections, seconds, path }) {
  return startHelper('load-process.mjs', { port, key, connections, seconds, path }).report;
}
