import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request as ExpressRequest, Response } from 'express';
import { noRoute } from '../errors/allowed-methods';
import { RequestError } from '../errors/request-error';
import { sendJson } from '../responses/responses';
import { STALLED_MS, TIMEOUTS } from './timeouts';

/** Emitted on a response when the database work is done, possibly long before a slow client has read it. */
export const WORK_ENDS = 'work ends';

declare module 'express-serve-static-core' {
  interface Response {
    /** Work continues after the headers; the handler emits WORK_ENDS. */
    isStreamed?: boolean;
  }
}

/**
 * Nest's Express adapter without two per-request costs: replacing the prototypes of request and response (bench/HISTORY.md), and
 * Express's JSON serialization.
 */
export class JsonAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    this.httpServer = createServer({ ...TIMEOUTS, ...expressClasses(app) }, app).setTimeout(STALLED_MS);
  }

  /**
   * Serializes records without Express's settings lookups (`json replacer`, `etag`) and charset handling; sends a Buffer or
   * Uint8Array as bytes, not as JSON.
   */
  override reply(response: Response, body: unknown, status?: number): void {
    if (status !== undefined) response.statusCode = status;
    if (body instanceof Uint8Array) response.send(Buffer.from(body.buffer, body.byteOffset, body.length));
    else if (isRecord(body)) sendJson(response, body);
    else super.reply(response, body, status);
  }

  override setNotFoundHandler(): void {
    this.use((request: ExpressRequest) => {
      throw noRoute(request);
    });
  }

  /** Express sets a status on the URIError of a path it can't decode; a handler's errors never get here. */
  override mapException(error: unknown): unknown {
    if (error instanceof URIError && (error as { status?: number }).status === 400)
      return RequestError.of('invalid_parameter', 'The path must be valid percent-encoded UTF-8.');
    return super.mapException(error);
  }
}

/** Lets Node create requests and responses with Express's prototypes, for several times the throughput: docs/express-prototypes.md. */
export function expressClasses(app: Express) {
  class Request extends IncomingMessage {}
  class NodeResponse extends ServerResponse {
    declare isStreamed?: boolean;
    override writeHead(status: number, ...rest: unknown[]): this {
      if (!this.isStreamed) this.emit(WORK_ENDS);
      return super.writeHead(status, ...(rest as []));
    }
  }
  app.request = Object.setPrototypeOf(Request.prototype, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(NodeResponse.prototype, app.response) as Express['response'];
  return { IncomingMessage: Request, ServerResponse: NodeResponse };
}

function isRecord(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}
