import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in its response, in errors and in the log. */
    id: string;
  }
}

/** The client's `X-Request-Id` if it is well-formed, else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
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
