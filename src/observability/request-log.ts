import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import pino, { type DestinationStream } from 'pino';

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
