import cluster from 'node:cluster';
import { type Config, ConfigError, readConfig } from '../config/config';
import { createEdgeWorkers, type EdgeWorkers, isEdgeWorker } from './edge-workers';
import { announce, onTermination, toConfigError, urlOf } from './process';
import { Workers } from './workers';

/** Starts the service in one process or several. Exits with 1 and the reason when it can't. */
export async function start(): Promise<void> {
  if (cluster.isWorker) process.on('SIGHUP', () => undefined); // sent to the process group, but meant for the primary
  try {
    const config = readConfig();
    if (isEdgeWorker()) await (await import('./start-edge.js')).startEdge(config);
    else if (config.workers > 1 && cluster.isPrimary) await startWorkers(config);
    else await (await import('./start-server.js')).startServer(config);
  } catch (error) {
    process.stderr.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

/** Imports only the primary's dependencies (measured: 45 MB of memory instead of 130). */
async function startWorkers(config: Config): Promise<void> {
  const { workers, metricsPort, metricsHost, metricsAllowedHosts } = config;
  const edge = await createEdgeWorkers(config);
  if (metricsPort !== undefined) {
    const [{ WorkerMetrics }, { serveMetrics }] = await Promise.all([
      import('../observability/worker-metrics.js'),
      import('../observability/metrics-server.js'),
    ]);
    const metrics = new WorkerMetrics();
    await toConfigError(
      'METRICS_HOST or METRICS_PORT',
      serveMetrics(metricsPort, metricsHost, () => metrics.read(), metricsAllowedHosts),
    );
  }
  await supervise(new Workers(workers), edge);
}

/** Starts the workers and the edge's. SIGHUP restarts all of them, SIGTERM stops them. @throws Error when one can't start */
export async function supervise(workers: Workers, edge?: EdgeWorkers): Promise<void> {
  onTermination(async () => {
    await Promise.all([workers.stop(), edge?.stop()]);
    process.exit(0);
  });
  process.on('SIGHUP', () => void Promise.all([workers.restart(), edge?.restart()]));
  await edge?.load();
  const address = await workers.start();
  await edge?.listen();
  if (!address) return;
  const msg = `frontdesk answers at ${urlOf(address)}, with ${workers.count} workers`;
  announce(`${msg}\n`, { msg });
}
