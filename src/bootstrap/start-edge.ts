import { NestFactory } from '@nestjs/core';
import type { Config } from '../config/config';
import { Migrations } from '../database/migrations';
import { EdgeMetrics } from '../edge/edge-metrics';
import { EdgeServer } from '../edge/edge-server';
import { EdgeModule } from '../edge/edge.module';
import { HostFeed } from '../edge/host-feed';
import { createLogger, standardOutput, StructuredLogger } from '../observability/logging';
import { reportToPrimary } from '../observability/worker-metrics';
import { untilMayListen } from './edge-workers';
import { onTermination, toConfigError } from './process';
import { withoutDeadline } from './start-deadline';

/** Starts the edge of this process, a worker, and drains it on SIGTERM or SIGINT. @throws ConfigError */
export async function startEdge(config: Config): Promise<void> {
  const app = await NestFactory.createApplicationContext(EdgeModule.with(config), {
    logger: new StructuredLogger(createLogger(config.logLevel, standardOutput())),
    abortOnError: false,
  });
  const reportMetrics = config.metricsPort === undefined ? undefined : reportToPrimary(app.get(EdgeMetrics).registry);
  await app.get(Migrations).prepare(config.migrations, withoutDeadline);
  await app.get(HostFeed).start();
  await untilMayListen();
  const server = app.get(EdgeServer);
  await toConfigError('EDGE_HOST or EDGE_PORT', server.listen());
  onTermination(async () => {
    await server.drain();
    await reportMetrics?.();
    await app.close();
    process.exit(0);
  });
}
