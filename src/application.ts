import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import type { Config } from './config';
import { Migrations } from './database/migrations';
import { answerUnreadable } from './http/client-errors';
import { allowOrigins } from './http/cors';
import { serveDocs } from './http/docs';
import { assignRequestId } from './http/request-id';
import { guardAnswers } from './http/response-headers';
import { createLogger, logRequests, StructuredLogger } from './operations/logging';
import { Shutdown } from './operations/shutdown';

/** The application as it runs in production, its schema up to date, not listening yet. The tests boot this one, too. */
export async function createApplication(config: Config): Promise<NestExpressApplication> {
  const logger = createLogger(config.logLevel);
  const adapter = new ExpressAdapter();
  adapter.set('case sensitive routing', true);
  adapter.set('query parser', 'simple');
  adapter.disable('etag');
  adapter.disable('x-powered-by');

  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), adapter, {
    logger: new StructuredLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.use(assignRequestId, logRequests(logger), guardAnswers, app.get(Shutdown).announce, allowOrigins(config.corsOrigins));
  app.getHttpServer().on('clientError', answerUnreadable);
  serveDocs(app, config);
  await app.get(Migrations).prepare(config.migrations);
  return app.init();
}
