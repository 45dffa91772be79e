import cluster from 'node:cluster';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from './application';
import type { Config } from '../config/config';
import { DemoService } from '../demo/demo.service';
import { Metrics } from '../observability/metrics';
import { serveMetrics } from '../observability/metrics-server';
import { addressOf, endOnSignal, naming } from './process';
import { Shutdown } from '../http/server/shutdown';
import { tellPrimary } from '../observability/worker-metrics';

/**
 * Starts a process that serves, and ends it on SIGTERM or SIGINT when every request in flight is answered.
 * @throws ConfigError
 */
export async function startServer(config: Config): Promise<void> {
  const app = await createApplication(config);
  const tellLast = await offerMetrics(app, config);
  const server = await naming('HOST or PORT', app.listen(config.port, config.host));
  endOnSignal(async () => {
    await app.get(Shutdown).drain(server);
    await tellLast?.();
    await app.close();
    process.exit(0);
  });
  if (!cluster.isWorker) await sayFirstWords(app, server);
}

/** Before the service listens, so that a start that fails has answered nobody. A worker tells its last figures with what is returned. */
async function offerMetrics(app: NestExpressApplication, { metricsPort, metricsHost }: Config): Promise<(() => Promise<void>) | undefined> {
  if (metricsPort === undefined) return undefined;
  const { registry } = app.get(Metrics);
  if (cluster.isWorker) return tellPrimary(registry);
  await naming(
    'METRICS_HOST or METRICS_PORT',
    serveMetrics(metricsPort, metricsHost, () => registry.metrics()),
  );
  return undefined;
}

/** The demo account comes after listening, which fails when the port is taken. */
async function sayFirstWords(app: NestExpressApplication, server: Server): Promise<void> {
  const demoKey = await app.get(DemoService).createOnFirstStart();
  const address = addressOf(server.address() as AddressInfo);
  process.stdout.write(demoKey ? firstWords(address, demoKey) : `frontdesk answers at ${address}\n`);
}

/** The only time that the key is shown. */
function firstWords(address: string, key: string): string {
  return `
frontdesk answers at ${address} (to try it on a page: ${address}/docs)

The database was empty, so there is an account "demo" now, with a few records.
Its key, which is not shown again:

  ${key}

Try it:

  curl -H 'Authorization: Bearer ${key}' ${address}/api/domains/

`;
}
