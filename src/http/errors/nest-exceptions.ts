import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { type ErrorCode, type ErrorEntry, ERRORS } from './request-error';

/** Our shorter codes for statuses with long names. */
const CODES: Record<number, string> = { 422: 'unprocessable', 500: 'internal_error', 503: 'unavailable' };

/** RFC 9110, 11.6.1 and 10.2.3 */
const HEADERS: Record<number, Record<string, string>> = {
  401: { 'WWW-Authenticate': 'Bearer realm="frontdesk"' },
  503: { 'Retry-After': '1' },
};

/** An error that has a status: a Nest exception, or a middleware's error in the http-errors convention. */
export interface StatusError {
  status: number;
  headers: Readonly<Record<string, string>>;
  errors: ErrorEntry[];
}

/** Undefined for an error without an HTTP status. */
export function statusErrorOf(error: unknown): StatusError | undefined {
  const [status, messages] = error instanceof HttpException ? [error.getStatus(), messagesOf(error)] : fromMiddleware(error);
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  return { status, headers: HEADERS[status] ?? {}, errors: messages.map((detail) => ({ status, ...nameOf(status), detail })) };
}

/** One message, or the list that a ValidationPipe throws. */
function messagesOf(exception: HttpException): string[] {
  const response = exception.getResponse();
  if (typeof response === 'string') return [response];
  const { message, error } = response as { message?: unknown; error?: unknown };
  const messages = [message ?? error ?? exception.message].flat().map((text) => (typeof text === 'string' ? text : JSON.stringify(text)));
  return messages.length > 0 ? messages : [exception.message];
}

/** http-errors sets `expose` on errors whose message may be shown. */
function fromMiddleware(error: unknown): [status: number, messages: string[]] {
  const { statusCode, expose, message } = (error ?? {}) as { statusCode?: number; expose?: boolean; message?: string };
  return expose === true ? [Number(statusCode), [String(message)]] : [NaN, []];
}

/** `conflict` and `Conflict` for 409. An unnamed status gets the name of its class's x00 status (RFC 9110, 15). */
function nameOf(status: number): { code: string; title: string } {
  const name = STATUS_CODES[status] ?? STATUS_CODES[status < 500 ? 400 : 500]!;
  const code = CODES[status] ?? name.toLowerCase().replaceAll("'", '').replace(/\W+/g, '_');
  return { code, title: ERRORS[code as ErrorCode]?.title ?? name[0] + name.slice(1).toLowerCase() };
}
