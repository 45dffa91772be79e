import 'reflect-metadata';
import { type Provider, type Type } from '@nestjs/common';
import { ApplicationConfig, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { AppModule } from '../../app.module';
import { Clock } from '../../platform/common/clock';
import { type Config, ConfigError } from '../../platform/config/config';
import { serveConsole } from '../../platform/http/server/console';
import { EventSchemas } from '../../events/event-schemas';
import type { Extension } from '../../platform/extensions/extension';
import { loadExtensions } from '../../platform/extensions/load-extension';
import { parseQuery } from '../../platform/http/input/request-body';
import { serveDocs } from '../../platform/http/openapi/openapi';
import { handleProtocolErrors } from '../../platform/http/server/connections';
import { ignoreNoCache } from '../../platform/http/responses';
import {
  allowOrigins,
  JsonAdapter,
  refuseAmbiguous,
  refuseLongContentType,
  runHooks,
  setPrivacyHeaders,
  Shutdown,
} from '../../platform/http/server/http-server';
import { Background } from '../../platform/jobs/background';
import {
  assignRequestId,
  createLogger,
  logRequests,
  RequestLog,
  StructuredLogger,
  notifyWhenClosed,
} from '../../platform/observability/logging';
import { Metrics } from '../../platform/observability/metrics';
import { standardOutput } from '../../platform/observability/standard-output';
import { RequestCounter } from '../../platform/quotas/rate-limit.guard';
import { KeyRotation } from '../../platform/secrets/key-rotation';
import { SchedulingDocument } from '../../scheduling/scheduling.openapi';
import { prepareSchema } from './prepare-schema';
import { withoutDeadline } from './workers';

/** What a sandbox does differently. */
export interface ApplicationOptions {
  /** Replace the machine's clock and network. */
  overrides?: Provider[];
  /** Builds the application, in place of `NestFactory.create`. */
  create?: (...args: Parameters<typeof NestFactory.create>) => Promise<NestExpressApplication>;
}

/**
 * Creates the application with its schema up to date, not yet listening; also used by tests. `added`: modules and extensions
 * in addition to those in EXTENSIONS. @throws ConfigError
 */
export async function createApplication(
  config: Config,
  added: (Type | Extension)[] = [],
  { overrides, create = (...args) => NestFactory.create(...args) }: ApplicationOptions = {},
): Promise<NestExpressApplication> {
  const extensions = loadExtensions(config.extensions, asExtensions(added));
  const server = express();
  server.enable('case sensitive routing'); // before the adapter creates the router, which reads it once
  server.set('query parser', parseQuery);
  server.disable('etag');
  server.disable('x-powered-by');

  const app = await create(AppModule.forRoot(config, extensions, overrides), new JsonAdapter(server), {
    logger: new StructuredLogger(createLogger(config.logLevel, standardOutput)),
    bodyParser: false,
    abortOnError: false,
  });
  const clock = app.get(Clock);
  const requestLog = new RequestLog(config.logLevel, standardOutput, clock);
  const { announce } = app.get(Shutdown);
  const { measure, countParseError } = app.get(Metrics);
  const observers = [logRequests(requestLog), ...(config.metricsPort === undefined ? [] : [measure])];
  const refusals = [refuseAmbiguous, announce, refuseLongContentType];
  app.use(
    runHooks([assignRequestId, notifyWhenClosed(clock, observers), setPrivacyHeaders, ignoreNoCache, ...refusals]),
    ...(config.corsOrigins.size > 0 ? [allowOrigins(config.corsOrigins)] : []),
  );
  Object.assign(app.getHttpServer(), { keepAliveTimeout: config.keepAliveMs });
  handleProtocolErrors(app.getHttpServer(), [(response) => requestLog.write(response), countParseError]);
  serveDocs(app, config, (document, schemas) => {
    app.get(EventSchemas).describe(schemas);
    app.get(SchedulingDocument).describe(document);
  });
  if (config.console) serveConsole(app);
  try {
    await initialize(app, config);
  } catch (error) {
    await app.close().catch(() => undefined); // its connections would keep the process alive
    throw error;
  }
  // Background work starts only now: a process that can't listen would exit while holding leases.
  app.getHttpServer().once('listening', () => {
    app.get(Background).start();
  });
  return app;
}

function asExtensions(added: (Type | Extension)[]): Extension[] {
  const modules = added.filter((each) => typeof each === 'function');
  const extensions = added.filter((each) => typeof each !== 'function');
  return modules.length > 0 ? [...extensions, { name: 'modules', modules }] : extensions;
}

async function initialize(app: NestExpressApplication, config: Config): Promise<void> {
  checkPrefix(app.get(ApplicationConfig), config);
  await prepareSchema(app, config, withoutDeadline);
  await app.get(KeyRotation).checkKeys();
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
