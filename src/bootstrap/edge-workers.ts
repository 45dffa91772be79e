import cluster from 'node:cluster';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Config, ConfigError } from '../config/config';
import { Workers } from './workers';

const ARGUMENT = 'edge';
/** One answers while another is replaced. Either has all hosts, so more would take memory rather than give speed. */
const MAX_WORKERS = 2;
const CONNECT_TIMEOUT_MS = 1_000;

export function isEdgeWorker(): boolean {
  return cluster.isWorker && process.argv[2] === ARGUMENT;
}

/** The processes of the edge, not started; undefined without one. @throws ConfigError when EDGE_PORT is taken */
export async function createEdgeWorkers({ workers, edge: { port, host } }: Config): Promise<Workers | undefined> {
  if (port === undefined) return undefined;
  await refuseTaken(port, host);
  // Without other workers, this process serves the interface: it must not have to accept the edge's connections, too.
  if (workers === 1) cluster.schedulingPolicy = cluster.SCHED_NONE;
  return new Workers(Math.min(workers, MAX_WORKERS), [ARGUMENT]);
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
