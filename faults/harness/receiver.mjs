import { startHelper } from './helper.mjs';

/** Lets a service reach receivers on this machine. */
export const REACH_LOOPBACK = { OUTBOUND_ALLOW: '127.0.0.1/32' };

/** A webhook receiver in another process. The path selects its behaviour: see `receiver-process.mjs`. */
export async function startReceiver() {
  const helper = startHelper('receiver-process.mjs', {});
  const { port } = await helper.report;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    /** `{ id, path, text, arrived, answered }` of every request; times are by the system clock, unknown ones null. */
    arrivals: () => helper.ask('arrivals'),
    /** Number of requests that wait for a response. */
    open: () => helper.ask('open'),
    forget: () => helper.ask('forget'),
    end: helper.end,
  };
}
