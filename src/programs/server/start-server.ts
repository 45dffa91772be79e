import cluster from 'node:cluster';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { version } from '../../../package.json';
import { type Config, disablingVariables } from '../../platform/config/config';
import { Dialect } from '../../platform/database/dialect';
import { createDemoAccount } from '../demo/demo-account';
import { Shutdown } from '../../platform/http/server/http-server';
import { Background } from '../../platform/jobs/background';
import { Metrics } from '../../platform/observability/metrics';
import { reportToPrimary, WorkerMetrics } from '../../platform/observability/worker-metrics';
import { createApplication } from './application';
import { createEdgeWorkers } from './edge-workers';
import { announceService, exposeMetrics, onTermination, toConfigError, urlOf } from './process';

const logger = new Logger('Service');

const IGNORED_VARIABLES =
  'Ignored variables that begin with tcp://: Kubernetes sets them to the addresses of Services. Set enableServiceLinks: false in the pod, and set them yourself if you need them.';

const NO_PUBLIC_URL =
  'PUBLIC_URL is not set, so links lead to this machine: set it to the address that clients use. Until then, no message can wait for an acknowledgement.';

/** Starts the server of this process, and drains it on SIGTERM or SIGINT; without other workers also on SIGHUP. @throws ConfigError */
export async function startServer(config: Config): Promise<void> {
  const edge = cluster.isWorker ? undefined : await createEdgeWorkers(config);
  const app = await createApplication(config);
  const database = await app.get(Dialect).version();
  app.get(Metrics).setBuildInfo(version, database);
  // Other ports are bound before PORT listens, and the edge listens after it: a failed start must not have served a request.
  const reportMetrics = await startMetrics(app, config);
  await edge?.load();
  const server = await toConfigError('HOST or PORT', app.listen(config.port, config.host));
  const shutDown = async (signal: string) => {
    logger.log({ message: 'Shutting down: completing requests and deliveries in progress.', signal });
    await Promise.all([app.get(Shutdown).drain(server), app.get(Background).stop(), edge?.stop()]);
    await reportMetrics?.();
    await app.close().finally(() => checkpoint(app.get(Dialect)));
    logger.log({ message: 'Shut down.' });
    process.exit(0);
  };
  onTermination(shutDown, cluster.isWorker ? undefined : ['SIGTERM', 'SIGINT', 'SIGHUP']);
  if (edge && !(await edge.listen())) return; // terminated meanwhile
  if (config.ignored.size > 0) logger.warn({ message: IGNORED_VARIABLES, variables: [...config.ignored] });
  if (config.lacksPublicUrl) logger.warn({ message: NO_PUBLIC_URL, links: config.publicUrl });
  logger.log({ message: 'Started.', version, node: process.version, database, off: disablingVariables(config) });
  if (!cluster.isWorker) await welcome(app, server, config);
}

/** Returns, in a worker, the function that reports its last metrics. */
async function startMetrics(app: NestExpressApplication, config: Config): Promise<(() => Promise<void>) | undefined> {
  if (config.metricsPort === undefined) return undefined;
  const { registry } = app.get(Metrics);
  if (cluster.isWorker) return reportToPrimary(registry);
  const edge = config.edge.port === undefined ? undefined : new WorkerMetrics();
  await exposeMetrics(config, async () => (await Promise.all([registry.metrics(), edge?.read()])).join(''));
  return undefined;
}

function checkpoint(dialect: Dialect): void {
  try {
    dialect.checkpoint?.();
  } catch (error) {
    logger.warn({ message: 'The newest writes are still in the -wal file beside the database: keep the two together.', err: error });
  }
}

/** Creates the demo account once the server listens: its key is shown only once, and listening fails when the port is taken. */
async function welcome(app: NestExpressApplication, server: Server, config: Config): Promise<void> {
  const key = await createDemoAccount(app);
  const url = urlOf(server.address() as AddressInfo);
  const service = { msg: `frontdesk answers at ${url}`, url, hasConsole: config.console };
  if (!key) return announceService(service);
  const example = `curl -H 'Authorization: Bearer ${key}' ${url}/api/domains/`;
  const text = `
The database was empty, so an account "demo" with a few records was created.
Its key, which is not shown again:

  ${key}

Try it:

  ${example}

`;
  announceService({ ...service, text, fields: { account: 'demo', key, example } });
}
