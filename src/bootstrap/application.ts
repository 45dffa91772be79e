import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { ApplicationConfig, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { AppModule } from '../app.module';
import { type Config, ConfigError } from '../config/config';
import { Migrations } from '../database/migrations';
import { handleProtocolErrors, refuseAmbiguous } from '../http/errors/client-errors';
import { parseQuery, refuseLongContentType } from '../http/input/request-body';
import { serveDocs } from '../http/openapi/openapi';
import { allowOrigins, assignRequestId, setPrivacyHeaders, Shutdown } from '../http/server/request-hooks';
import { JsonAdapter } from '../http/server/json-adapter';
import { Background } from '../jobs/background';
import { createLogger, logParseError, logRequests, RequestLog, standardOutput, StructuredLogger } from '../observability/logging';
import { Metrics } from '../observability/metrics';
import { RequestCounter } from '../quotas/request-counter';
import { KeyCheck } from '../secrets/encrypted-columns';
import { withoutDeadline } from './start-deadline';

/** Creates the application with its schema up to date, not yet listening. The tests boot it, too. */
export async function createApplication(config: Config, extension: Type[] = []): Promise<NestExpressApplication> {
  const output = standardOutput();
  const requestLog = new RequestLog(config.logLevel, output);
  const server = express();
  server.enable('case sensitive routing'); // before the adapter creates the router, which reads it once
  server.set('query parser', parseQuery);
  server.disable('etag');
  server.disable('x-powered-by');

  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, extension), new JsonAdapter(server), {
    logger: new StructuredLogger(createLogger(config.logLevel, output)),
    bodyParser: false,
    abortOnError: false,
  });
  const { announce } = app.get(Shutdown);
  const { measure, countParseError } = app.get(Metrics);
  const measured = config.metricsPort === undefined ? [] : [measure];
  const refusals = [refuseAmbiguous, announce, refuseLongContentType];
  app.use(
    runHooks([assignRequestId, logRequests(requestLog), ...measured, setPrivacyHeaders, ...refusals]),
    allowOrigins(config.corsOrigins),
  );
  handleProtocolErrors(app.getHttpServer(), [logParseError(requestLog), countParseError]);
  serveDocs(app, config);
  try {
    await prepare(app, config);
  } catch (error) {
    await app.close().catch(() => undefined); // its connections would keep the process alive
    throw error;
  }
  // Not before: a process that can't listen would exit with what it has claimed.
  app.getHttpServer().once('listening', () => {
    app.get(Background).start();
  });
  return app;
}

async function prepare(app: NestExpressApplication, config: Config): Promise<void> {
  checkPrefix(app.get(ApplicationConfig), config);
  await app.get(Migrations).prepare(config.migrations, withoutDeadline);
  await app.get(KeyCheck).run();
  if (config.rateLimit !== undefined) await app.get(RequestCounter).connect();
  await app.init();
}

/** Links are built from PUBLIC_URL. @throws ConfigError when it lacks the global prefix */
function checkPrefix(application: ApplicationConfig, { publicUrl }: Config): void {
  const prefix = application.getGlobalPrefix().replace(/^\/|\/$/g, '');
  if (!prefix || new URL(publicUrl).pathname.endsWith(`/${prefix}`)) return;
  throw new ConfigError(
    `PUBLIC_URL must end in /${prefix}, the global prefix of all routes, because links are built from it: for example ${publicUrl}/${prefix}.`,
  );
}

type RequestHook = (request: Request, response: Response) => void;

/** Runs all hooks in one Express layer: routing costs more than they do. */
function runHooks(hooks: readonly RequestHook[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const hook of hooks) hook(request, response);
    next();
  };
}
