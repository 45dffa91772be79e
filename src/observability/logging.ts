import type { LoggerService } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';

/** Contexts in which Nest logs every module and route at startup. */
const SETUP_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest's logger, writing structured lines. */
export class StructuredLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  fatal = (message: unknown, context?: string) => this.write('fatal', message, context);
  error = (message: unknown, ...rest: string[]) => this.write('error', message, rest.at(-1));
  warn = (message: unknown, context?: string) => this.write('warn', message, context);
  log = (message: unknown, context?: string) => this.write(SETUP_CONTEXTS.has(context ?? '') ? 'debug' : 'info', message, context);
  debug = (message: unknown, context?: string) => this.write('debug', message, context);
  verbose = (message: unknown, context?: string) => this.write('trace', message, context);

  private write(level: pino.Level, message: unknown, context?: string): void {
    if (typeof message === 'string') this.logger[level]({ context }, message);
    else if (message instanceof Error) this.logger[level]({ context, err: message });
    else this.logger[level]({ context, ...(message as object) });
  }
}

/** Writes JSON lines to standard output, each at once unless there is another destination. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Leaves out a database error's message and parameters, which may contain secrets. */
function serializeError(error: Error & { driverError?: { code?: unknown; errno?: unknown } }) {
  const { name, message, stack = '', driverError } = error;
  if (!driverError) return { name, message, stack };
  const { code, errno } = driverError;
  return { name, code, errno, stack: stack.slice(Math.max(stack.indexOf('\n    at '), 0)) };
}

/** Logs one line per request, when the response has been sent or the client has disconnected. `route` is the template, never the raw path. */
export function logRequests(logger: Logger) {
  return (request: Request, response: Response): void => {
    const start = performance.now();
    response.once('close', () => {
      const { id, method, route, user } = request;
      logger.info(requestLine({ id, method, route: route?.path, status: statusOf(response), start, account: user?.accountId }), 'request');
    });
  };
}

/** Logs the request line for a request that Node could not parse. */
export function logParseError(logger: Logger) {
  return ({ request_id, status }: { request_id: string; status: number }): void => {
    logger.info(requestLine({ id: request_id, status }), 'request');
  };
}

interface CompletedRequest {
  id: string;
  method?: string;
  route?: string;
  status: number;
  /** By performance.now(); undefined when it never began. */
  start?: number;
  account?: number;
}

/** The fields of a request's log line. */
export function requestLine({ id, method, route, status, start, account }: CompletedRequest) {
  const duration_ms = start === undefined ? 0 : Math.round((performance.now() - start) * 10) / 10;
  return { request_id: id, method: method ?? null, route: route ?? null, status, duration_ms, account: account ?? null };
}

/** 499, as in nginx, when the client disconnected before the response was sent. */
export function statusOf(response: ServerResponse): number {
  return response.writableFinished ? response.statusCode : 499;
}
