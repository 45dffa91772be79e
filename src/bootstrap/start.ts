import cluster from 'node:cluster';
import { type Config, ConfigError, readConfig } from '../config/config';
import { naming } from './process';
import { Workers } from './workers';

/** Starts the service, in one process or in several; when it can't, says why and ends with 1. */
export async function start(): Promise<void> {
  if (cluster.isWorker) process.on('SIGHUP', () => undefined); // sent to the whole group, it is for the one that watches over it
  try {
    const config = readConfig();
    if (config.workers > 1 && cluster.isPrimary) await watchOver(config);
    else await serve(config);
  } catch (error) {
    process.stderr.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

async function watchOver({ workers, metricsPort, metricsHost }: Config): Promise<void> {
  if (metricsPort !== undefined) {
    const { serveWorkerMetrics } = await import('../observability/worker-metrics.js');
    await naming('METRICS_HOST or METRICS_PORT', serveWorkerMetrics(metricsPort, metricsHost));
  }
  await new Workers(workers).start();
}

/** Loaded here, for a process that only watches over others needs none of it (measured: 45 MB of memory, not 130). */
async function serve(config: Config): Promise<void> {
  const { startServer } = await import('./start-server.js');
  await startServer(config);
}
