import cluster from 'node:cluster';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../config/config';
import { DeliveryWorker } from '../deliveries/sending/delivery-worker';
import { DemoService } from '../demo/demo.service';
import { VerificationWorker } from '../domains/verification/worker/verification-worker';
import { Edge } from '../edge/edge';
import { Shutdown } from '../http/server/shutdown';
import { Metrics } from '../observability/metrics';
import { serveMetrics } from '../observability/metrics-server';
import { reportToPrimary } from '../observability/worker-metrics';
import { createApplication } from './application';
import { EDGE_VARIABLES, openEdgeSocket } from './edge-socket';
import { toConfigError, onTermination, urlOf } from './process';

/** Starts the server of this process, and drains it on SIGTERM or SIGINT. @throws ConfigError */
export async function startServer(config: Config): Promise<void> {
  const app = await createApplication(config);
  // Other ports are bound before PORT listens, and the edge listens after it: a failed start must not have served a request.
  const reportMetrics = await exposeMetrics(app, config);
  const edge = app.get(Edge);
  await edge.start(await toConfigError(EDGE_VARIABLES, openEdgeSocket(config.edge)));
  const server = await toConfigError('HOST or PORT', app.listen(config.port, config.host));
  await toConfigError(EDGE_VARIABLES, edge.listen());
  onTermination(async () => {
    await Promise.all([app.get(Shutdown).drain(server), app.get(DeliveryWorker).stop(), app.get(VerificationWorker).stop(), edge.stop()]);
    await reportMetrics?.();
    await app.close();
    process.exit(0);
  });
  if (!cluster.isWorker) await welcome(app, server);
}

/** Returns, in a worker, the function that reports its last metrics. */
async function exposeMetrics(
  app: NestExpressApplication,
  { metricsPort, metricsHost }: Config,
): Promise<(() => Promise<void>) | undefined> {
  if (metricsPort === undefined) return undefined;
  const { registry } = app.get(Metrics);
  if (cluster.isWorker) return reportToPrimary(registry);
  const server = serveMetrics(metricsPort, metricsHost, () => registry.metrics());
  await toConfigError('METRICS_HOST or METRICS_PORT', server);
  return undefined;
}

/** Creates the demo account only after the server listens, since that fails when the port is taken. */
async function welcome(app: NestExpressApplication, server: Server): Promise<void> {
  const key = await app.get(DemoService).createOnFirstStart();
  const url = urlOf(server.address() as AddressInfo);
  process.stdout.write(key ? demoWelcome(url, key) : `frontdesk answers at ${url}\n`);
}

/** Shows the key, which is never shown again. */
function demoWelcome(url: string, key: string): string {
  return `
frontdesk answers at ${url} (API docs: ${url}/docs)

The database was empty, so an account "demo" with a few records was created.
Its key, which is not shown again:

  ${key}

Try it:

  curl -H 'Authorization: Bearer ${key}' ${url}/api/domains/

`;
}
