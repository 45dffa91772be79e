import cluster from 'node:cluster';
import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { Config } from '../config/config';

// Threads can't share a port through node:cluster. The primary binds one socket and sends it to the workers, as cluster itself does for
// SCHED_NONE (https://github.com/nodejs/node/blob/v20.x/lib/internal/cluster/shared_handle.js); their threads listen on it.

/** What an error names. */
export const EDGE_VARIABLES = 'EDGE_HOST or EDGE_PORT';

const REQUEST = 'frontdesk:edge-socket';
const SOCKET = 'frontdesk:edge-socket-handle';

/** A libuv handle; not documented. */
interface Handle {
  readonly fd: number;
  getsockname(out: { port?: number }): number;
}

/** Gives a bound handle, or an error number. */
type CreateHandle = (address: string, port: number, family: 4 | 6) => Handle | number;

const { _createServerHandle: createHandle } = net as unknown as { _createServerHandle: CreateHandle };

/** The thread closes the descriptor; a handle that is collected, or closed, would close another one's by then. */
let kept: Handle | undefined;

/** In the primary: binds EDGE_PORT, and sends the socket to each worker that asks. @throws the system error */
export async function shareEdgeSocket({ host, port }: Config['edge']): Promise<void> {
  if (port === undefined) return;
  const { address, family } = await lookup(host);
  const handle = createHandle(address, port, family === 6 ? 6 : 4);
  if (typeof handle === 'number') throw listenError(getSystemErrorName(handle), address, port);
  const bound: { port?: number } = {};
  handle.getsockname(bound);
  if (bound.port !== port) throw listenError('EADDRINUSE', address, port); // libuv would tell only when it listens
  cluster.on('message', (worker, message) => {
    if (message === REQUEST) worker.send(SOCKET, handle as unknown as net.Server, { keepOpen: true }, () => undefined); // it may be exiting
  });
}

/** In a worker: the descriptor of the primary's socket. */
export async function receiveEdgeSocket({ port }: Config['edge']): Promise<number | undefined> {
  if (port === undefined || !cluster.isWorker) return undefined;
  kept = await new Promise<Handle>((resolve) => {
    process.on('message', function receive(message, handle) {
      if (message !== SOCKET) return;
      process.off('message', receive);
      resolve(handle as unknown as Handle);
    });
    process.send?.(REQUEST);
  });
  return kept.fd;
}

function listenError(code: string, address: string, port: number): Error {
  return Object.assign(new Error(`listen ${code}: ${address}:${port}`), { code });
}
