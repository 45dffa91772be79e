import cluster from 'node:cluster';
import { type Config, ConfigError } from '../../platform/config/config';
import { readConfig } from '../../platform/config/read-config';
import { requireWritableDatabase } from '../../platform/database/sqlite/file-access';
import { standardError } from '../../platform/observability/standard-output';
import { createEdgeWorkers, type EdgeWorkers, isEdgeWorker } from './edge-workers';
import { announceService, exposeMetrics, onTermination, urlOf } from './process';
import { Workers } from './workers';

/** Starts the service in one or several processes. If it can't, prints the reason and exits with 1. */
export async function start(): Promise<void> {
  // In place of the command line's listener, which ends the process: the service doesn't depend on a reader of its output.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => undefined);
  if (cluster.isWorker) process.on('SIGHUP', () => undefined); // sent to the process group, but meant for the primary
  try {
    const config = readConfig();
    requireWritableDatabase(config);
    if (isEdgeWorker()) await (await import('./start-edge.js')).startEdge(config);
    else if (config.workers > 1 && cluster.isPrimary)
      await supervise(new Workers(config.workers), () => prepareEdge(config), config.console);
    else await (await import('./start-server.js')).startServer(config);
  } catch (error) {
    standardError.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

/** Imports only the primary's dependencies (measured: 45 MB of memory instead of 130). */
async function prepareEdge(config: Config): Promise<EdgeWorkers | undefined> {
  const edge = await createEdgeWorkers(config);
  if (config.metricsPort !== undefined) {
    const { WorkerMetrics } = await import('../../platform/observability/worker-metrics.js');
    const metrics = new WorkerMetrics();
    await exposeMetrics(config, () => metrics.read());
  }
  return edge;
}

/** Starts the service's workers and the edge's. SIGHUP restarts all of them, SIGTERM stops them. @throws Error when one can't start */
export async function supervise(workers: Workers, prepareEdge?: () => Promise<EdgeWorkers | undefined>, hasConsole = true): Promise<void> {
  let edge: EdgeWorkers | undefined = undefined;
  onTermination(async () => {
    await Promise.all([workers.stop(), edge?.stop()]);
    process.exit(0);
  });
  process.on('SIGHUP', () => void Promise.all([workers.restart(), edge?.restart()])); // by default, SIGHUP ends the process
  edge = await prepareEdge?.();
  await edge?.load();
  const address = await workers.start();
  await edge?.listen();
  if (!address) return;
  const url = urlOf(address);
  announceService({ msg: `frontdesk answers at ${url}, with ${workers.count} workers`, url, hasConsole });
}
