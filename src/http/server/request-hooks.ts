import type { Server } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import cors, { type CorsRequest } from 'cors';
import { Injectable } from '@nestjs/common';
import { requestIdOf } from '../errors/client-errors';
import { drainServer } from './connections';
import { allowedMethods } from './json-adapter';

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in its response, in errors and in the log. */
    id: string;
  }
}

export function assignRequestId(request: Request, response: Response): void {
  request.id = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', request.id);
}

/** Responses belong to one account: no caching, no content sniffing. */
export function setPrivacyHeaders(_request: Request, response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
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
  isDraining = false;

  /** Request hook that stops clients from reusing their connection. */
  readonly announce = (_request: Request, response: Response): void => {
    if (this.isDraining) response.setHeader('Connection', 'close');
  };

  drain(server: Server): Promise<void> {
    this.isDraining = true;
    return drainServer(server);
  }
}
