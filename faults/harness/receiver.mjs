import { startHelper } from './helper.mjs';

/** Lets a service reach receivers here. */
export const REACH_LOOPBACK = { OUTBOUND_ALLOW: '127.0.0.1/32' };

/** A server in another process that webhooks deliver to. The path says how it answers: see `receiver-process.mjs`. */
export async function startReceiver() {
  const helper = startHelper('receiver-process.mjs', {});
  const { port } = await helper.report;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    /** `{ id, path, text, arrived, answered }` of every request; times are those of the system's clock, unknown ones are null. */
    arrivals: () => helper.ask('arrivals'),
    /** Requests that wait for an answer. */
    open: () => helper.ask('open'),
    forget: () => helper.ask('forget'),
    end: helper.end,
  };
}
