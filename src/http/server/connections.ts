import type { Server } from 'node:http';
import { Server as Listener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** In milliseconds. Longer keep-alive than a proxy's idle timeout (commonly 60 s), or it would send into a closing connection. */
export const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 1_000 };

/** Socket idle timeout while a client is not reading. In milliseconds. */
export const STALLED_MS = 60_000;

/** How long responses carry `Connection: close` before idle connections are closed; closing at once would lose requests in transit. */
const GRACE_MS = 1_000;
const DEADLINE_MS = 7_000;
const POLL_MS = 20;

/** Completes requests in progress, up to the deadline. The caller sets `Connection: close` on every response from now on. */
export async function drainServer(server: Server): Promise<void> {
  let isClosed = false;
  // Refuses new connections: a refused connection is safe to retry, but a request on one accepted now could be cut off.
  // http.Server's own close() would also close idle connections, losing requests in transit on them.
  const closed = new Promise<void>((resolve) => Listener.prototype.close.call(server, () => resolve())).then(() => (isClosed = true));
  await sleep(GRACE_MS);
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  while (!isClosed && !deadline.aborted) {
    server.closeIdleConnections(); // responses sent before draining began kept their connection alive
    await sleep(POLL_MS);
  }
  server.closeAllConnections();
  await Promise.race([closed, sleep(DEADLINE_MS)]);
  await sleep(POLL_MS); // the server closes before its connections do, and aborted requests are logged only then
}
