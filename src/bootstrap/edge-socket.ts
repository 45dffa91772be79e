import cluster from 'node:cluster';
import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { Config } from '../config/config';

// The edge's socket is bound before anything is served, so that a port that is taken stops the start, and listens only when PORT does.
// Threads can't share a port through node:cluster. The primary binds one socket and sends it to the workers, as cluster itself does for
// SCHED_NONE (https://github.com/nodejs/node/blob/v20.x/lib/internal/cluster/shared_handle.js); their threads listen on it.

/** What an error names. */
export const EDGE_VARIABLES = 'EDGE_HOST or EDGE_PORT';

const REQUEST = 'frontdesk:edge-socket';
const SOCKET = 'frontdesk:edge-socket-handle';

type EdgeSettings = Config['edge'];

/** A libuv handle; not documented. */
interface Handle {
  readonly fd: number;
  getsockname(out: { port?: number }): number;
  close(): void;
}

/** Gives a bound handle, or an error number. */
type CreateHandle = (address: string, port: number, family: 4 | 6) => Handle | number;

const { _createServerHandle: createHandle } = net as unknown as { _createServerHandle: CreateHandle };

/** The thread closes the descriptor; a handle that is collected, or closed, would close another one's by then. */
let kept: Handle | undefined;

/**
 * In the primary: binds EDGE_PORT, and sends the socket to each worker that asks, until the returned function closes it: connections are
 * refused once the workers have closed theirs. @throws the system error
 */
export async function shareEdgeSocket({ host, port }: EdgeSettings): Promise<() => void> {
  if (port === undefined) return () => undefined;
  let handle: Handle | undefined = await bind(host, port);
  cluster.on('message', (worker, message) => {
    if (message !== REQUEST || !handle) return;
    worker.send(SOCKET, handle as unknown as net.Server, { keepOpen: true }, () => undefined); // it may be exiting
  });
  return () => {
    handle?.close();
    handle = undefined;
  };
}

/** The descriptor of this process' socket, in a worker the primary's; undefined without an edge. @throws the system error */
export async function openEdgeSocket({ host, port }: EdgeSettings): Promise<number | undefined> {
  if (port === undefined) return undefined;
  kept = cluster.isWorker ? await receive() : await bind(host, port);
  return kept.fd;
}

async function bind(host: string, port: number): Promise<Handle> {
  const { address, family } = await lookup(host);
  const handle = createHandle(address, port, family === 6 ? 6 : 4);
  if (typeof handle === 'number') throw listenError(getSystemErrorName(handle), address, port);
  const bound: { port?: number } = {};
  handle.getsockname(bound);
  if (bound.port !== port) throw listenError('EADDRINUSE', address, port); // libuv reports it only on listen()
  return handle;
}

function receive(): Promise<Handle> {
  return new Promise((resolve) => {
    process.on('message', function take(message, handle) {
      if (message !== SOCKET) return;
      process.off('message', take);
      resolve(handle as unknown as Handle);
    });
    process.send?.(REQUEST);
  });
}

function listenError(code: string, address: string, port: number): Error {
  return Object.assign(new Error(`listen ${code}: ${address}:${port}`), { code });
}
