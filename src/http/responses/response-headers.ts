import type { Request, Response } from 'express';

/** Records and settings belong to one account: no cache keeps an answer, and no browser guesses at its type. */
export function guardAnswers(_request: Request, response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}
