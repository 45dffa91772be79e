import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Config, ConfigError } from '../config/config';
import { Workers } from './workers';

const ARGUMENT = 'edge';
const LOADED = 'frontdesk:edge-loaded';
const LISTEN = 'frontdesk:edge-listen';
/** One answers while another is replaced. Either has all hosts, so more would take memory rather than give speed. */
const MAX_WORKERS = 2;
const CONNECT_TIMEOUT_MS = 1_000;

export function isEdgeWorker(): boolean {
  return cluster.isWorker && process.argv[2] === ARGUMENT;
}

/** In a worker that has loaded the hosts: waits until it may listen. */
export function untilMayListen(): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message) => message === LISTEN && resolve());
    process.send?.(LOADED);
  });
}

/** The processes of the edge, not started; undefined without one. @throws ConfigError when EDGE_PORT is taken */
export async function createEdgeWorkers({ workers, edge: { port, host } }: Config): Promise<EdgeWorkers | undefined> {
  if (port === undefined) return undefined;
  await refuseTaken(port, host);
  // Without other workers, this process serves the interface: it must not have to accept the edge's connections, too.
  if (workers === 1) cluster.schedulingPolicy = cluster.SCHED_NONE;
  return new EdgeWorkers(Math.min(workers, MAX_WORKERS));
}

/** Loads the hosts before PORT listens and listens after it: a service that is ready has its edge, and one that can't start has answered nobody. */
export class EdgeWorkers {
  private readonly workers: Workers;
  private readonly loaded = new Set<Worker>();
  private mayListen = false;
  private started?: Promise<Address | undefined>;

  constructor(private readonly count: number) {
    this.workers = new Workers(count, [ARGUMENT]);
  }

  /** @throws Error when a worker can't start; it has printed why */
  async load(): Promise<void> {
    const allLoaded = new Promise<void>((resolve) => {
      cluster.on('message', (worker, message) => {
        if (message !== LOADED) return;
        if (this.mayListen) allow(worker);
        else if (this.loaded.add(worker).size === this.count) resolve();
      });
    });
    this.started = this.workers.start();
    await Promise.race([allLoaded, this.started]);
  }

  /** False when they were stopped before. @throws Error when a worker can't; it has printed why */
  async listen(): Promise<boolean> {
    this.mayListen = true;
    this.loaded.forEach(allow);
    return (await this.started) !== undefined;
  }

  restart(): Promise<void> {
    return this.workers.restart();
  }

  stop(): Promise<void> {
    return this.workers.stop();
  }
}

function allow(worker: Worker): void {
  worker.send(LISTEN, () => undefined); // it may be exiting
}

/** A port that is taken shows before anything is served, though the edge listens last. */
async function refuseTaken(port: number, host: string): Promise<void> {
  const socket = connect(port, host);
  const connected = once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  const isTaken = await connected.then(
    () => true,
    () => false,
  );
  socket.on('error', () => undefined).destroy();
  if (isTaken) throw new ConfigError(`EDGE_HOST or EDGE_PORT: listen EADDRINUSE: address already in use ${host}:${port}`);
}
