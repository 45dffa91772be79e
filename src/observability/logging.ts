import type { LoggerService } from '@nestjs/common';
import type { Request, Response } from 'express';
import pino, { type Logger } from 'pino';

/** Where Nest says, line by line, what it sets up. */
const SETUP_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest's own messages, and those of the code that logs through Nest, as structured lines. */
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

/** Lines of JSON on standard output. Errors are logged without the values of a statement: they may be secrets. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  });
}

/** Of what a database says, the code alone: its messages repeat values. */
function describeError(error: Error & { driverError?: { code?: unknown; errno?: unknown } }) {
  const { name, message, stack = '', driverError } = error;
  if (!driverError) return { name, message, stack };
  const { code, errno } = driverError;
  return { name, code, errno, stack: stack.slice(Math.max(stack.indexOf('\n    at '), 0)) };
}

/** Logs one line a request when its answer is out or its client is gone; the route is the template, never the raw path. */
export function logRequests(logger: Logger) {
  return (request: Request, response: Response): void => {
    const start = performance.now();
    response.once('close', () => {
      logger.info(
        {
          request_id: request.id,
          method: request.method,
          route: request.route?.path ?? null,
          status: response.writableFinished ? response.statusCode : 499, // 499, as nginx logs a client that went away
          duration_ms: Math.round((performance.now() - start) * 10) / 10,
          account: request.user?.accountId ?? null,
        },
        'request',
      );
    });
  };
}

/** The same line for what was answered without being a request that can be read. */
export function logUnreadable(logger: Logger) {
  return ({ request_id, status }: { request_id: string; status: number }): void => {
    logger.info({ request_id, method: null, route: null, status, duration_ms: 0, account: null }, 'request');
  };
}
