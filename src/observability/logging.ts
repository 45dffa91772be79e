import type { ServerResponse } from 'node:http';
import type { Logger, LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type LoggerOptions } from 'pino';
import type { Request, Response } from 'express';
import type { Clock } from '../common/clock';

/** Contexts in which Nest logs every module and route at startup. */
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

/** Writes each line at once. */
export function standardOutput(): DestinationStream {
  return pino.destination({ fd: 1, sync: true });
}

/** A pipe takes up to 4,096 bytes in one piece, not mixed with another process's lines; a line has at most 400. */
const BATCH_LENGTH = 3_600;
const FLUSH_INTERVAL_MS = 100;

/** Standard output, in batches: a write for each line is a noticeable part of a redirect's time (bench/HISTORY.md). */
export function batchedOutput(): DestinationStream {
  const output = standardOutput();
  let lines = '';
  const flush = () => {
    if (lines !== '') output.write(lines);
    lines = '';
  };
  setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.once('exit', flush);
  return {
    write(line) {
      lines += line;
      if (lines.length >= BATCH_LENGTH) flush();
    },
  };
}

/** Writes JSON lines. */
export function createLogger(level: string, output: DestinationStream): pino.Logger {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
  };
  return pino(options, output);
}

/** Leaves out a database error's message and parameters, which may contain secrets. */
function serializeError(error: Error & { driverError?: { code?: unknown; errno?: unknown } }) {
  const { name, message, stack = '', driverError } = error;
  if (!driverError) return { name, message, stack };
  const { code, errno } = driverError;
  return { name, code, errno, stack: stack.slice(Math.max(stack.indexOf('\n    at '), 0)) };
}

const INTERVAL_MS = 60_000;
/** More than a process can log in a minute; 10 MB. */
const MAX_KEYS = 100_000;

/** Logs a line once a minute at most for each key; `left_out` counts those since the key's last line. */
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
    this.lines.delete(key); // moves it to the end: the first key is the one that has been quiet the longest
    const [oldest] = this.lines.keys();
    if (this.lines.size >= MAX_KEYS) this.lines.delete(oldest);
    this.lines.set(key, { quietUntil: now + INTERVAL_MS, leftOut: 0 });
    this.logger[this.level](last?.leftOut ? { ...fields, left_out: last.leftOut } : fields);
  }
}

/** A request that is over. */
export interface CompletedRequest {
  id: string;
  method?: string;
  /** The template, never the raw path. */
  route?: string;
  status: number;
  /** By performance.now(); undefined when the request could not be parsed. */
  start?: number;
  account?: number;
  /** The edge's answer. */
  edge?: string;
}

/**
 * One line per request, as the logger would write it. By a template: with pino's, the edge answers half as many redirects a second
 * (bench/HISTORY.md).
 */
export class RequestLog {
  private readonly minimum: number;
  private now = { milliseconds: 0, text: '' };

  constructor(
    level: string,
    private readonly output: DestinationStream,
  ) {
    this.minimum = pino.levels.values[level] ?? Infinity; // silent
  }

  note({ id, method, route, status, start, account, edge }: CompletedRequest, level: 'debug' | 'info' = 'info'): void {
    if (pino.levels.values[level] < this.minimum) return;
    const duration = start === undefined ? 0 : Math.round((performance.now() - start) * 10) / 10;
    // Request ids have no character that JSON escapes.
    this.output.write(
      `{"level":"${level}","time":"${this.time()}","request_id":"${id}","method":${JSON.stringify(method ?? null)},` +
        `"route":${JSON.stringify(route ?? null)},"status":${status},"duration_ms":${duration},"account":${account ?? null},` +
        `${edge === undefined ? '' : `"edge":"${edge}",`}"msg":"request"}\n`,
    );
  }

  private time(): string {
    const milliseconds = Date.now();
    if (milliseconds !== this.now.milliseconds) this.now = { milliseconds, text: new Date(milliseconds).toISOString() };
    return this.now.text;
  }
}

/** Probed every few seconds: logged only on failure. */
const HEALTH_CHECK = /\/health\/(?:live|ready)$/;

/** Logs a request when its response has been sent or the client has disconnected. */
export function logRequests(log: RequestLog) {
  return (request: Request, response: Response): void => {
    const start = performance.now();
    response.once('close', () => {
      const { id, method, route, user } = request;
      const status = statusOf(response);
      if (status < 400 && HEALTH_CHECK.test(route?.path)) return;
      log.note({ id, method, route: route?.path, status, start, account: user?.accountId });
    });
  };
}

/** Logs a request that Node could not parse. */
export function logParseError(log: RequestLog) {
  return ({ request_id, status }: { request_id: string; status: number }): void => log.note({ id: request_id, status });
}

/** 499, as in nginx, when the client disconnected before the response was sent. */
export function statusOf(response: ServerResponse): number {
  return response.writableFinished ? response.statusCode : 499;
}
