import { EventEmitter } from 'node:events';
import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Application, Express, NextFunction, Request, Response } from 'express';
import cors, { type CorsRequest } from 'cors';
import { Injectable, StreamableFile } from '@nestjs/common';
import { RequestError, type Violation } from '../../common/errors';
import { drainServer, INERT_HEADERS, STALLED_TIMEOUT_MS, TIMEOUTS } from './connections';
import { WORK_ENDS } from './response-close';
import { ExpressAdapter } from '@nestjs/platform-express';

/**
 * Length from which text is sent as bytes. Node appends a string to the headers and encodes both, reserving three bytes per character,
 * which takes 0.4 ms longer for a list of 1,000 records, 1.4 ms with an emoji. Shorter text is faster as a string (bench/HISTORY.md).
 */
const MIN_BUFFERED_LENGTH = 65_536;

declare module 'express-serve-static-core' {
  interface Response {
    /** Whether work continues after the headers are sent; the handler then emits WORK_ENDS itself. */
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
    }).setTimeout(STALLED_TIMEOUT_MS);
  }

  /** Unlike Express, keeps the Content-Type that a handler has set, and sends a Buffer or Uint8Array as bytes, not as JSON. */
  override reply(response: Response, body: unknown, status?: number): void {
    if (status !== undefined) response.statusCode = status;
    if (body instanceof Uint8Array) response.send(Buffer.from(body.buffer, body.byteOffset, body.length));
    else if (isJsonBody(body)) sendJson(response, body);
    else super.reply(response, body, status);
  }

  override setNotFoundHandler(): void {
    this.use((request: Request) => {
      throw routeNotFound(request);
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

/** Lets Node create requests and responses with Express's prototypes, for several times the throughput: docs/internals/express-prototypes.md. */
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

/** Sends JSON, or a 304 when the client has this version (RFC 9110, 13.1.2). Express would also send a 304 for `*` without an ETag. */
export function sendJson(response: Response, body: unknown): void {
  if (isUnmodified(response)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const text = JSON.stringify(body);
  const content = text.length < MIN_BUFFERED_LENGTH ? text : Buffer.from(text);
  response.setHeader('Content-Length', Buffer.byteLength(content));
  response.end(content);
}

function isUnmodified(response: Response): boolean {
  return response.req.headers['if-none-match'] !== undefined && response.hasHeader('ETag') && response.req.fresh;
}

function isJsonBody(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}

/** A layer of Express's router; internal API. */
interface RouterLayer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that a request's path supports, for the `Allow` header; empty for an unknown path. */
export function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Application).router as unknown as { stack: RouterLayer[] };
  const routes = stack.filter((layer) => layer.route && layer.match(request.path));
  const methods = new Set(routes.flatMap(({ route }) => Object.keys(route?.methods ?? {}).map((method) => method.toUpperCase())));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

export function methodNotAllowed(allowed: string[]): RequestError {
  const Allow = allowed.join(', ');
  return RequestError.of('method_not_allowed', `This path answers ${Allow}.`, undefined, { Allow });
}

function routeNotFound(request: Request): RequestError {
  const allowed = allowedMethods(request);
  return allowed.length > 0 ? methodNotAllowed(allowed) : RequestError.of('not_found', 'There is nothing at this path.');
}

type RequestHook = (request: Request, response: Response) => void;

/** Runs all hooks in one Express layer: routing costs more than they do. */
export function runHooks(hooks: readonly RequestHook[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const hook of hooks) hook(request, response);
    next();
  };
}

/** Responses belong to one account, so they must not be cached; they are not pages, so they must not run scripts. */
export function setPrivacyHeaders(_request: Request, response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of INERT_HEADERS) response.setHeader(name, value);
}

const UNREPEATABLE_HEADERS = new Set(['host', 'authorization', 'content-type']);
const refusedSockets = new WeakSet<Socket>();

/**
 * Refuses HTTP versions that Node's parser lets through (0.9, 2.0), a missing Host (RFC 9112, 3.2), and repeated headers,
 * which a proxy may resolve differently. Later requests on the connection may be smuggled, so they are refused and it is closed.
 */
export function refuseAmbiguous(request: Request): void {
  const violation = refusedSockets.has(request.socket)
    ? malformed('An earlier request on this connection was refused.')
    : findAmbiguity(request);
  if (!violation) return;
  refusedSockets.add(request.socket);
  throw new RequestError([violation], { Connection: 'close' });
}

function findAmbiguity({ httpVersion, headers, rawHeaders }: Request): Violation | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('A request must be HTTP/1.1 or HTTP/1.0.');
  if (httpVersion === '1.1' && headers.host === undefined) return malformed('A request must have a Host.', 'Host');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (!UNREPEATABLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return malformed(`${name} may be given once.`, name);
    seen.add(name);
  }
  return undefined;
}

function malformed(detail: string, header?: string): Violation {
  return { code: 'malformed_request', detail, source: header === undefined ? undefined : { in: 'header', name: header } };
}

/** In characters. A boundary, the longest parameter, has at most 70 (RFC 2046, 5.1.1). */
const MAX_CONTENT_TYPE_LENGTH = 256;

/** Runs before anything parses the header: MIMEType and multer's type-is are quadratic in spaces (10 KB: 140 to 250 ms). */
export function refuseLongContentType({ headers }: Request): void {
  const hasBody = 'transfer-encoding' in headers || 'content-length' in headers;
  if (!hasBody || (headers['content-type'] ?? '').length <= MAX_CONTENT_TYPE_LENGTH) return;
  const detail = `A Content-Type may have at most ${MAX_CONTENT_TYPE_LENGTH} characters.`;
  throw RequestError.inHeader('unsupported_media_type', detail, 'Content-Type');
}

const API_METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
const EXPOSED_HEADERS = ['ETag', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'traceparent', 'X-Request-Id'];

/** Adds CORS headers for requests from these origins. From elsewhere, an OPTIONS request is not treated as a preflight. */
export function allowOrigins(origins: ReadonlySet<string>) {
  const corsOptions = { origin: true, allowedHeaders: ALLOWED_HEADERS, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 };
  const allow = cors((request: CorsRequest, done) => done(null, { ...corsOptions, methods: methodsAt(request as Request) }));
  return (request: Request, response: Response, next: NextFunction): void => {
    response.vary('Origin');
    const isAllowed = origins.has(request.headers.origin ?? '');
    if (isAllowed && (request.method !== 'OPTIONS' || isPreflight(request))) allow(request, response, next);
    else next();
  };
}

/** The API's methods, plus others that this path supports. */
function methodsAt(request: Request): string[] {
  return request.method === 'OPTIONS' ? [...new Set([...API_METHODS, ...allowedMethods(request)])] : API_METHODS;
}

/** False for an unknown path, so that it gets a 404. */
function isPreflight(request: Request): boolean {
  return request.headers['access-control-request-method'] !== undefined && allowedMethods(request).length > 0;
}

/** Graceful shutdown: requests in progress are completed, up to the deadline. */
@Injectable()
export class Shutdown {
  private readonly stopping = new EventEmitter();

  isDraining = false;

  /** Request hook that stops clients from reusing their connection. */
  readonly announce = (_request: Request, response: Response): void => {
    if (this.isDraining) response.setHeader('Connection', 'close');
  };

  onDrain(callback: () => void): void {
    this.stopping.once('drain', callback);
  }

  drain(server: Server): Promise<void> {
    return drainServer(server, () => {
      this.isDraining = true;
      this.stopping.emit('drain');
    });
  }
}
