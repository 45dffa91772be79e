import type { Request, Response } from 'express';
import { requestIdOf } from './request-id';

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
