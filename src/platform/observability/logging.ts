import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Logger, LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type LoggerOptions } from 'pino';
import type { Request, Response } from 'express';
import type { Clock } from '../common/clock';
import { parseTraceparent, traceIdOf } from '../common/trace-context';
import { onClose } from '../http/server/response-close';

/** Contexts in which Nest logs every module and route at startup; these lines get the level `debug`. */
const SETUP_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest's logger, writing structured lines. */
export class StructuredLogger implements LoggerService {
  constructor(private readonly logger: pino.Logger) {}

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

export function createLogger(level: string, output: DestinationStream): pino.Logger {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    hooks: { logMethod: withSafeMessage },
  };
  return pino(options, output);
}

/** If a line has no message, pino would log the error's, which may quote database values. */
function withSafeMessage(this: pino.Logger, [fields, ...rest]: Parameters<pino.LogFn>, log: pino.LogFn): void {
  const { err } = fields as { err?: unknown };
  const [message] = rest.length === 0 && err instanceof Error ? [serializeError(err).message] : rest;
  log.call(this, fields, message);
}

/** Omits a database error's parameters, which may contain secrets. */
function serializeError(error: Error & { driverError?: { code?: unknown; errno?: unknown; message?: string } }) {
  const { name, message, stack = '', driverError } = error;
  if (!driverError) return { name, message, stack };
  const { code, errno } = driverError;
  const safeMessage = withoutValues(driverError.message ?? '');
  const constraint = CONSTRAINT_NAME.exec(safeMessage)?.[1];
  return { name, message: safeMessage, code, errno, constraint, stack: stack.slice(Math.max(stack.indexOf('\n    at '), 0)) };
}

/** MySQL quotes names like values. Names at the beginning or end, where no value can occur, get backticks. */
const LEADING_NAME = /^([a-z ]*\b(?:column|constraint|field|key|table)) '([\w.$]+)'/i;
const TRAILING_NAME = /\b(column|key) '([\w.$]+)'((?: at row \d+)?)$/i;
const CONSTRAINT_NAME = /(?:constraint failed: |for key `|constraint `)([^`]+)/i;

/** Cuts from the first quote to the last one: a value may contain quotes, or be cut off. */
function withoutValues(message: string): string {
  const withBackticks = message.replace(/n't\b/g, ' not').replace(LEADING_NAME, '$1 `$2`').replace(TRAILING_NAME, '$1 `$2`$3');
  return withBackticks.replace(/'(?:.*'|.*$)/s, "'…'");
}

const THROTTLE_INTERVAL_MS = 60_000;
/** More keys than a process can log in a minute. They take 10 MB. */
const MAX_KEYS = 100_000;

/** Logs at most one line a minute for each key; `left_out` counts the lines dropped since the key's last line. */
export class ThrottledLog {
  private readonly lines = new Map<string | number, { quietUntil: number; leftOut: number }>();

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
    private readonly level: 'warn' | 'error' = 'warn',
  ) {}

  log(fields: { message: string } & Record<string, unknown>, key: string | number = ''): void {
    const now = this.clock.monotonic();
    const last = this.lines.get(key);
    if (last && now < last.quietUntil) return void last.leftOut++;
    this.lines.delete(key); // reinserted at the end, so that the first key is the least recent
    const [oldest] = this.lines.keys();
    if (this.lines.size >= MAX_KEYS) this.lines.delete(oldest);
    this.lines.set(key, { quietUntil: now + THROTTLE_INTERVAL_MS, leftOut: 0 });
    this.logger[this.level](last?.leftOut ? { ...fields, left_out: last.leftOut } : fields);
  }
}

interface CompletedRequest {
  id: string;
  method?: string;
  /** The route template, never the raw path. */
  route?: string;
  status: number;
  /** When the request began, by the monotonic clock; undefined if it could not be parsed. */
  start?: number;
  account?: number;
  /** Outcome of an edge request. */
  edge?: string;
  /** The request's header, if well-formed. */
  traceparent?: string;
}

/**
 * Writes one line per request, in the logger's format. Uses a template string: with pino, the edge serves half as many redirects a second
 * (bench/HISTORY.md).
 */
export class RequestLog {
  private readonly minimumLevel: number;
  private cachedTime = { milliseconds: 0, text: '' };

  constructor(
    level: string,
    private readonly output: DestinationStream,
    readonly clock: Clock,
  ) {
    this.minimumLevel = pino.levels.values[level] ?? Infinity; // silent
  }

  write({ id, method, route, status, start, account, edge, traceparent }: CompletedRequest, level: 'debug' | 'info' = 'info'): void {
    if (pino.levels.values[level] < this.minimumLevel) return;
    const duration = start === undefined ? 0 : Math.round((this.clock.monotonic() - start) * 10) / 10;
    // Request ids have no character that JSON escapes.
    this.output.write(
      `{"level":"${level}","time":"${this.time()}","request_id":"${id}","method":${JSON.stringify(method ?? null)},` +
        `"route":${JSON.stringify(route ?? null)},"status":${status},"duration_ms":${duration},"account":${account ?? null},` +
        `${edge === undefined ? '' : `"edge":"${edge}",`}` +
        `${traceparent === undefined ? '' : `"trace_id":"${traceIdOf(traceparent)}",`}"msg":"request"}\n`,
    );
  }

  private time(): string {
    const milliseconds = this.clock.now();
    if (milliseconds !== this.cachedTime.milliseconds) this.cachedTime = { milliseconds, text: new Date(milliseconds).toISOString() };
    return this.cachedTime.text;
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's `X-Request-Id` if it is well-formed, else a new one. */
export function requestIdOf(header: unknown): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in its response, in errors and in the log. */
    id: string;
  }
}

export function assignRequestId(request: Request, response: Response): void {
  request.id = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', request.id);
}

/** Probed every few seconds, and so logged only on failure. */
const HEALTH_ROUTE = /\/health\/(?:live|ready)$/;

/** Called for a request whose response has been sent, or whose client has disconnected. `start`: by the monotonic clock. */
export type RequestObserver = (request: Request, response: Response, start: number) => void;

/** Returns a request hook that calls the observers once the response has been sent or the client has disconnected. */
export function notifyWhenClosed(clock: Clock, observers: readonly RequestObserver[]) {
  return (request: Request, response: Response): void => {
    const start = clock.monotonic();
    onClose(response, () => {
      for (const observe of observers) observe(request, response, start);
    });
  };
}

export function logRequests(log: RequestLog): RequestObserver {
  return ({ id, method, route, user, headers }, response, start) => {
    const status = statusOf(response);
    if (status < 400 && HEALTH_ROUTE.test(route?.path)) return;
    const traceparent = parseTraceparent(headers.traceparent);
    log.write({ id, method, route: route?.path, status, start, account: user?.accountId, traceparent });
  };
}

/** 499, as in nginx, when the client disconnected before the response was sent. */
export function statusOf(response: ServerResponse): number {
  return response.writableFinished ? response.statusCode : 499;
}
