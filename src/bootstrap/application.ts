import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { ApplicationConfig, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { AppModule } from '../app.module';
import { type Config, ConfigError } from '../config/config';
import { Migrations } from '../database/migrations';
import { Admission } from '../admission/admission';
import { answerByOurselves, refuseAmbiguous } from '../http/errors/client-errors';
import { refuseLongContentType } from '../http/input/request-body';
import { allowOrigins } from '../http/server/cors';
import { serveDocs } from '../http/openapi/docs';
import { JsonAdapter } from '../http/server/json-adapter';
import { Metrics } from '../observability/metrics';
import { parseQuery } from '../http/input/parsers';
import { assignRequestId, setPrivacyHeaders } from '../http/responses/response-headers';
import { NotificationHandlersService } from '../notification-handlers/notification-handlers.service';
import { createLogger, logRequests, logUnreadable, StructuredLogger } from '../observability/logging';
import { Shutdown } from '../http/server/shutdown';
import { withoutDeadline } from './start-deadline';
import { RequestCounter } from '../rate-limit/request-counter';

/** The application as it runs in production, its schema up to date, not listening yet. The tests boot this one, too. */
export async function createApplication(config: Config, extension: Type[] = []): Promise<NestExpressApplication> {
  const logger = createLogger(config.logLevel);
  const server = express();
  server.enable('case sensitive routing'); // before the adapter: it makes the router, which keeps what it is told then
  server.set('query parser', parseQuery);
  server.disable('etag');
  server.disable('x-powered-by');

  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, extension), new JsonAdapter(server), {
    logger: new StructuredLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  checkPrefix(app.get(ApplicationConfig), config);
  const { announce } = app.get(Shutdown);
  const metrics = app.get(Metrics);
  const isMeasured = config.metricsPort !== undefined;
  if (isMeasured) metrics.watchLoad(app.get(Admission));
  const measured = isMeasured ? [metrics.measure] : [];
  const refusals = [refuseAmbiguous, announce, refuseLongContentType];
  const steps = [assignRequestId, logRequests(logger), ...measured, setPrivacyHeaders, ...refusals];
  app.use(runHooks(steps), allowOrigins(config.corsOrigins));
  answerByOurselves(app.getHttpServer(), [logUnreadable(logger), metrics.countUnreadable]);
  serveDocs(app, config);
  await app.get(Migrations).prepare(config.migrations, withoutDeadline);
  await app.get(NotificationHandlersService).checkKeys();
  if (config.rateLimit !== undefined) await app.get(RequestCounter).connect();
  return app.init();
}

/** @throws ConfigError when links would leave out a prefix that all routes have */
function checkPrefix(application: ApplicationConfig, { publicUrl }: Config): void {
  const prefix = application.getGlobalPrefix().replace(/^\/|\/$/g, '');
  if (!prefix || new URL(publicUrl).pathname.endsWith(`/${prefix}`)) return;
  throw new ConfigError(
    `All routes have the global prefix ${prefix}, and links are built from PUBLIC_URL: set PUBLIC_URL to an address that ends in it, such as ${publicUrl}/${prefix}.`,
  );
}

type RequestHook = (request: Request, response: Response) => void;

/** What is done to every request, as one layer of Express's router: its walk from one layer to the next takes longer than each of them. */
function runHooks(steps: readonly RequestHook[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const step of steps) step(request, response);
    next();
  };
}
