import cors, { type CorsRequest } from 'cors';
import type { NextFunction, Request, Response } from 'express';
import { allowedMethods } from '../errors/allowed-methods';

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
const EXPOSED_HEADERS = ['ETag', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'];

/** Lets the pages of these origins call the interface; an OPTIONS request is a preflight for them alone. */
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

/** Those of the interface, and what else a route at this path takes. */
function methodsAt(request: Request): string[] {
  return request.method === 'OPTIONS' ? [...new Set([...METHODS, ...allowedMethods(request)])] : METHODS;
}

/** Of a path at which there is something: any other is a 404, whoever asks. */
function isPreflight(request: Request): boolean {
  return request.headers['access-control-request-method'] !== undefined && allowedMethods(request).length > 0;
}
