import { NestFactory } from '@nestjs/core';
import type { Config } from '../../platform/config/config';
import { EdgeMetrics, EdgeServer } from '../../edge/edge-server';
import { EdgeModule } from '../../edge/edge.module';
import { HostFeed } from '../../edge/host-feed';
import { loadExtensions } from '../../platform/extensions/load-extension';
import { createLogger, StructuredLogger } from '../../platform/observability/logging';
import { standardOutput } from '../../platform/observability/standard-output';
import { reportToPrimary } from '../../platform/observability/worker-metrics';
import { waitToListen } from './edge-workers';
import { prepareSchema } from './prepare-schema';
import { onTermination, toConfigError } from './process';
import { withoutDeadline } from './workers';

/** Starts the edge of this process, a worker, and drains it on SIGTERM or SIGINT. @throws ConfigError */
export async function startEdge(config: Config): Promise<void> {
  const app = await NestFactory.createApplicationContext(EdgeModule.forRoot(config, loadExtensions(config.extensions)), {
    logger: new StructuredLogger(createLogger(config.logLevel, standardOutput)),
    abortOnError: false,
  });
  const reportMetrics = config.metricsPort === undefined ? undefined : reportToPrimary(app.get(EdgeMetrics).registry);
  await prepareSchema(app, config, withoutDeadline);
  await app.get(HostFeed).start();
  const server = app.get(EdgeServer);
  await waitToListen((socket) => server.accept(socket));
  await toConfigError('EDGE_HOST or EDGE_PORT', server.listen());
  onTermination(async () => {
    await server.drain();
    await reportMetrics?.();
    await app.close();
    process.exit(0);
  });
}
