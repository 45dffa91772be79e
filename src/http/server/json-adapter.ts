import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, Express, Request, Response } from 'express';
import { RequestError } from '../request-error';
import { STALLED_MS, TIMEOUTS } from './connections';

/**
 * Length from which text is sent as bytes. Node appends a string to the headers and encodes both, reserving three bytes a character:
 * 0.4 ms more for a list of 1,000, 1.4 ms with an emoji. Shorter text is faster as a string (bench/HISTORY.md).
 */
const MIN_ENCODED = 65_536;

/** Emitted on a response when the database work is done, possibly long before a slow client has read it. */
export const WORK_ENDS = 'work ends';

declare module 'express-serve-static-core' {
  interface Response {
    /** Work continues after the headers; the handler emits WORK_ENDS. */
    isStreamed?: boolean;
  }
}

/** Nest's Express adapter without the cost of replacing the prototypes of every request and response (bench/HISTORY.md). */
export class JsonAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    const options = { ...TIMEOUTS, requireHostHeader: false, ...expressClasses(app) }; // refuseAmbiguous requires a Host
    this.httpServer = createServer(options, (request, response) => {
      if (!request.url?.startsWith('/')) request.url = originForm(request.url);
      app(request as Request, response as unknown as Response);
    }).setTimeout(STALLED_MS);
  }

  /** Unlike Express, keeps the Content-Type that a handler has set, and sends a Buffer or Uint8Array as bytes, not as JSON. */
  override reply(response: Response, body: unknown, status?: number): void {
    if (status !== undefined) response.statusCode = status;
    if (body instanceof Uint8Array) response.send(Buffer.from(body.buffer, body.byteOffset, body.length));
    else if (isRecord(body)) sendJson(response, body);
    else super.reply(response, body, status);
  }

  override setNotFoundHandler(): void {
    this.use((request: Request) => {
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

/** A request target may be an absolute URL (RFC 9112, 3.2.2); Express hangs on one that it can't parse. */
function originForm(target = ''): string {
  const url = URL.parse(target);
  return url?.pathname.startsWith('/') ? url.pathname + url.search : '/*';
}

/** Lets Node create requests and responses with Express's prototypes, for several times the throughput: docs/express-prototypes.md. */
export function expressClasses(app: Express): ServerOptions {
  class NodeRequest extends IncomingMessage {}
  class NodeResponse extends ServerResponse {
    declare isStreamed?: boolean;
    override writeHead(status: number, ...rest: unknown[]): this {
      if (!this.isStreamed) this.emit(WORK_ENDS);
      return super.writeHead(status, ...(rest as []));
    }
  }
  app.request = Object.setPrototypeOf(NodeRequest.prototype, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(NodeResponse.prototype, app.response) as Express['response'];
  return { IncomingMessage: NodeRequest, ServerResponse: NodeResponse } as ServerOptions;
}

/** Sends JSON, or a 304 when the client has this version (RFC 9110, 13.1.2). Express sends one for `*` without an ETag, too. */
export function sendJson(response: Response, body: unknown): void {
  if (isUnmodified(response)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  sendText(response, JSON.stringify(body));
}

export function sendText(response: Response, text: string): void {
  const body = text.length < MIN_ENCODED ? text : Buffer.from(text);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

function isUnmodified(response: Response): boolean {
  return response.req.headers['if-none-match'] !== undefined && response.hasHeader('ETag') && response.req.fresh;
}

function isRecord(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}

/** A layer of Express's router; internal API. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that a request's path supports, for the `Allow` header; empty for an unknown path. */
export function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Application).router as unknown as { stack: Layer[] };
  const routes = stack.filter((layer) => layer.route && layer.match(request.path));
  const methods = new Set(routes.flatMap(({ route }) => Object.keys(route?.methods ?? {}).map((method) => method.toUpperCase())));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

export function methodNotAllowed(allowed: string[]): RequestError {
  const Allow = allowed.join(', ');
  return RequestError.of('method_not_allowed', `This path answers ${Allow}.`, undefined, { Allow });
}

function noRoute(request: Request): RequestError {
  const allowed = allowedMethods(request);
  return allowed.length > 0 ? methodNotAllowed(allowed) : RequestError.of('not_found', 'There is nothing at this path.');
}
