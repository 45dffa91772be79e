import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import cors, { type CorsRequest } from 'cors';
import { Injectable } from '@nestjs/common';
import { RequestError, type Violation } from '../request-error';
import { drainServer, INERT } from './connections';
import { allowedMethods } from './json-adapter';

type RequestHook = (request: Request, response: Response) => void;

/** Runs all hooks in one Express layer: routing costs more than they do. */
export function runHooks(hooks: readonly RequestHook[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const hook of hooks) hook(request, response);
    next();
  };
}

/** Responses belong to one account, so they are not cached, and are no pages. */
export function setPrivacyHeaders(_request: Request, response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of INERT) response.setHeader(name, value);
}

const SINGLE_HEADERS = new Set(['host', 'authorization', 'content-type']);
const refused = new WeakSet<Socket>();

/**
 * Refuses HTTP versions that Node's parser lets through (0.9, 2.0), a missing Host (RFC 9112, 3.2), and repeated headers,
 * which a proxy may resolve differently. Later requests on the connection may be smuggled: they are refused, and it is closed.
 */
export function refuseAmbiguous(request: Request): void {
  const violation = refused.has(request.socket) ? malformed('An earlier request on this connection was refused.') : findAmbiguity(request);
  if (!violation) return;
  refused.add(request.socket);
  throw new RequestError([violation], { Connection: 'close' });
}

function findAmbiguity({ httpVersion, headers, rawHeaders }: Request): Violation | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('A request must be HTTP/1.1 or HTTP/1.0.');
  if (httpVersion === '1.1' && headers.host === undefined) return malformed('A request must have a Host.', 'Host');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
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

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
const EXPOSED_HEADERS = ['ETag', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'];

/** An OPTIONS request is treated as a preflight only from one of these origins. */
export function allowOrigins(origins: ReadonlySet<string>) {
  const shared = { origin: true, allowedHeaders: ALLOWED_HEADERS, exposedHeaders: EXPOSED_HEADERS, maxAge: 600 };
  const allow = cors((request: CorsRequest, done) => done(null, { ...shared, methods: methodsAt(request as Request) }));
  return (request: Request, response: Response, next: NextFunction): void => {
    if (origins.size > 0) response.vary('Origin');
    const isAllowed = origins.has(request.headers.origin ?? '');
    if (isAllowed && (request.method !== 'OPTIONS' || isPreflight(request))) allow(request, response, next);
    else next();
  };
}

/** The API's methods, plus others that this path supports. */
function methodsAt(request: Request): string[] {
  return request.method === 'OPTIONS' ? [...new Set([...METHODS, ...allowedMethods(request)])] : METHODS;
}

/** An unknown path is a 404 instead. */
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

  /** Calls back when draining begins. */
  onDrain(callback: () => void): void {
    this.stopping.once('drain', callback);
  }

  drain(server: Server): Promise<void> {
    this.isDraining = true;
    this.stopping.emit('drain');
    return drainServer(server);
  }
}
