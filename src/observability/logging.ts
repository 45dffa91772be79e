import type { LoggerService } from '@nestjs/common';
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
export function createLogger(level: string, output: DestinationStream): Logger {
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
