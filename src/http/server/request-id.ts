import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Names this request in its answer, in errors and in the log. */
    id: string;
  }
}

/** Gives every request an id: the caller's `X-Request-Id` when it is a plain name, else a new one. */
export function assignRequestId(request: Request, response: Response): void {
  const given = request.headers['x-request-id'];
  request.id = typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.id);
}
