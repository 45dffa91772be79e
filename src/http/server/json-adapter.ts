import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request as ExpressRequest, Response } from 'express';
import { noRoute } from '../errors/allowed-methods';
import { sendJson } from '../responses/responses';
import { DEADLINES } from './deadlines';
import { RequestError } from '../errors/request-error';

/** For so long a client may keep an answer waiting without reading of it. */
const STALLED_MILLISECONDS = 60_000;

declare module 'express-serve-static-core' {
  interface Response {
    /** The work goes on when the first of the answer is sent, and tells of its end by itself. */
    isStreamed: boolean;
  }
}

/** An answer tells of it when all that takes the database's time for it is done: before a slow client has read it. */
export const WORK_ENDS = 'work ends';

/** Nest on Express, without two things that Express does needlessly on every request; bench/RESULTS.md has their cost. */
export class JsonAdapter extends ExpressAdapter {
  /**
   * Makes requests and answers of Express's kind from the start. Express changes the prototype of each that comes from
   * Node, upon which V8 drops what it has optimized for it: by itself it answers a quarter of the requests then.
   */
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    class Request extends IncomingMessage {}
    class Answer extends ServerResponse {
      override writeHead(status: number, ...rest: unknown[]): this {
        if (!(this as { isWorkedOn?: boolean }).isWorkedOn) this.emit(WORK_ENDS);
        return super.writeHead(status, ...(rest as []));
      }
    }
    app.request = Object.setPrototypeOf(Request.prototype, app.request) as Express['request'];
    app.response = Object.setPrototypeOf(Answer.prototype, app.response) as Express['response'];
    this.httpServer = createServer({ ...DEADLINES, IncomingMessage: Request, ServerResponse: Answer }, app).setTimeout(
      STALLED_MILLISECONDS,
    );
  }

  /** Writes JSON without Express, which would look for a replacer, an entity tag and a charset; and a Buffer as its bytes. */
  override reply(response: Response, body: unknown, status?: number): void {
    if (status !== undefined) response.statusCode = status;
    if (body instanceof Uint8Array) response.send(Buffer.from(body.buffer, body.byteOffset, body.length));
    else if (isRecord(body)) sendJson(response, body);
    else super.reply(response, body, status);
  }

  /** Before Nest's own answer, an exception that a handler could have thrown as well. */
  override setNotFoundHandler(): void {
    this.use((request: ExpressRequest) => {
      throw noRoute(request);
    });
  }

  /** Express fails so when it decodes a path; a handler's own URIError never comes this way. */
  override mapException(error: unknown): unknown {
    if (error instanceof URIError && (error as { status?: number }).status === 400)
      return RequestError.of('invalid_parameter', 'The path must be valid percent-encoded UTF-8.');
    return super.mapException(error);
  }
}

function isRecord(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}
