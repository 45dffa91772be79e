import cluster from 'node:cluster';
import { type Config, ConfigError, readConfig } from '../config/config';
import { EDGE_VARIABLES, shareEdgeSocket } from './edge-socket';
import { onTermination, toConfigError } from './process';
import { Workers } from './workers';

/** Starts the service in one process or several. Exits with 1 and the reason when it can't. */
export async function start(): Promise<void> {
  if (cluster.isWorker) process.on('SIGHUP', () => undefined); // sent to the process group, but meant for the primary
  try {
    const config = readConfig();
    if (config.workers > 1 && cluster.isPrimary) await startWorkers(config);
    else await (await import('./start-server.js')).startServer(config);
  } catch (error) {
    process.stderr.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

/** Imports only the primary's dependencies (measured: 45 MB of memory instead of 130). */
async function startWorkers({ workers, metricsPort, metricsHost, metricsAllowedHosts, edge }: Config): Promise<void> {
  if (metricsPort !== undefined) {
    const [{ WorkerMetrics }, { serveMetrics }] = await Promise.all([
      import('../observability/worker-metrics.js'),
      import('../observability/metrics.js'),
    ]);
    const metrics = new WorkerMetrics();
    await toConfigError(
      'METRICS_HOST or METRICS_PORT',
      serveMetrics(metricsPort, metricsHost, () => metrics.read(), metricsAllowedHosts),
    );
  }
  const closeEdgeSocket = await toConfigError(EDGE_VARIABLES, shareEdgeSocket(edge));
  onTermination(closeEdgeSocket);
  await new Workers(workers).start();
}
