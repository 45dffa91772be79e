import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';

/** Nest on Express, without two things that Express does for each request in vain; bench/RESULTS.md has what they take. */
export class JsonAdapter extends ExpressAdapter {
  /**
   * Makes requests and answers of Express's kind from the start. Express changes the prototype of each that comes from
   * Node, upon which V8 drops what it has optimized for it: by itself it answers a quarter of the requests then.
   */
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    class Request extends IncomingMessage {}
    class Answer extends ServerResponse {}
    app.request = Object.setPrototypeOf(Request.prototype, app.request) as Express['request'];
    app.response = Object.setPrototypeOf(Answer.prototype, app.response) as Express['response'];
    this.httpServer = createServer({ IncomingMessage: Request, ServerResponse: Answer }, app);
  }

  /** Writes what a handler returns as JSON; Express would look for a replacer, an entity tag and a charset first. */
  override reply(response: Response, body: unknown, status?: number): void {
    const text = JSON.stringify(body);
    response.statusCode = status ?? response.statusCode;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }
}
