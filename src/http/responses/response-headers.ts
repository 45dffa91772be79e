import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in its response, in errors and in the log. */
    id: string;
  }
}

/** Uses the client's `X-Request-Id` if it is well-formed. */
export function assignRequestId(request: Request, response: Response): void {
  const given = request.headers['x-request-id'];
  request.id = typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.id);
}

/** Responses belong to one account: no caching, no content sniffing. */
export function setPrivacyHeaders(_request: Request, response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}
