import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Config, ConfigError } from '../../platform/config/config';
import { Workers } from './workers';

const ARGUMENT = 'edge';
const LOADED = 'frontdesk:edge-loaded';
const LISTEN = 'frontdesk:edge-listen';
const CONNECTION = 'frontdesk:edge-connection';
/** One serves while the other is replaced. Each holds all hosts in memory, so more would cost memory for little speed. */
const MAX_WORKERS = 2;
const CONNECT_TIMEOUT_MS = 1_000;
/** Limit on the connections held while no worker listens; further ones are closed. */
const MAX_HELD_CONNECTIONS = 1_000;

export function isEdgeWorker(): boolean {
  return cluster.isWorker && process.argv[2] === ARGUMENT;
}

/** In a worker that has loaded the hosts: waits until it may listen. `accept` then gets the connections held so far. */
export function waitToListen(accept: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message, socket) => {
      if (message === LISTEN) resolve();
      if (message === CONNECTION && socket) accept(socket as Socket);
    });
    process.send?.(LOADED);
  });
}

/** The edge's processes, not yet started; undefined without an edge. @throws ConfigError when EDGE_PORT is taken */
export async function createEdgeWorkers({ workers, edge: { port, host } }: Config): Promise<EdgeWorkers | undefined> {
  if (port === undefined) return undefined;
  await refuseTakenPort(port, host);
  // With one worker, this process serves the API: it must not accept the edge's connections, too.
  if (workers === 1) cluster.schedulingPolicy = cluster.SCHED_NONE;
  return new EdgeWorkers(Math.min(workers, MAX_WORKERS), port, host);
}

/** Loads hosts before PORT listens, and listens after it: a ready service has a loaded edge, and a failed start has served no request. */
export class EdgeWorkers extends Workers {
  private readonly loadedWorkers = new Set<Worker>();
  private mayListen = false;
  private started?: Promise<Address | undefined>;
  private holder?: { server: Server; sockets: Socket[] };

  constructor(
    count: number,
    private readonly port: number,
    private readonly host: string,
  ) {
    super(count, [ARGUMENT]);
    cluster.on('disconnect', (worker) => this.loadedWorkers.delete(worker) && this.holdConnections());
  }

  /** Starts the workers; resolves once all have loaded the hosts. @throws Error if one can't start; that worker has printed why */
  async load(): Promise<void> {
    const allLoaded = new Promise<void>((resolve) => {
      cluster.on('message', (worker, message) => {
        if (message !== LOADED) return;
        const { size } = this.loadedWorkers.add(worker);
        if (this.mayListen) this.letListen(worker);
        else if (size === this.count) resolve();
      });
    });
    this.started = this.start();
    await Promise.race([allLoaded, this.started]);
  }

  /** Lets the workers listen; resolves once all do, or with false if stopped first. @throws Error if one can't; it has printed why */
  async listen(): Promise<boolean> {
    this.mayListen = true;
    this.loadedWorkers.forEach((worker) => this.letListen(worker));
    return (await this.started) !== undefined;
  }

  private letListen(worker: Worker): void {
    this.holder?.server.close();
    worker.send(LISTEN, () => undefined); // the worker may be exiting
    for (const socket of this.holder?.sockets ?? []) worker.send(CONNECTION, socket, () => socket.destroy());
    this.holder = undefined;
  }

  /** Holds connections for the next worker: loading a million hosts takes seconds. */
  private holdConnections(): void {
    if (!this.isStarted || this.isStopping || this.holder || [...this.serving].some((worker) => worker.isConnected())) return;
    const sockets: Socket[] = [];
    const server = createServer({ pauseOnConnect: true }, (socket) => sockets.push(socket.on('error', () => undefined)));
    server.maxConnections = MAX_HELD_CONNECTIONS;
    server.on('error', () => (this.holder = undefined)).listen(this.port, this.host);
    this.holder = { server, sockets };
  }
}

/** Reports a taken port before anything is served, although the edge listens last. */
async function refuseTakenPort(port: number, host: string): Promise<void> {
  const socket = connect(port, host);
  const connected = once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  const isTaken = await connected.then(
    () => true,
    () => false,
  );
  socket.on('error', () => undefined).destroy();
  if (isTaken) throw new ConfigError(`EDGE_HOST or EDGE_PORT: listen EADDRINUSE: address already in use ${host}:${port}`);
}
