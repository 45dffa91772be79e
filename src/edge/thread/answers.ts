import type { Outcome } from '../messages';
import { pageOf } from './pages';

/** `headers` are names and values in turns, without those that every answer has of its own: Date, X-Request-Id, Connection. */
export interface Answer {
  outcome: Outcome;
  status: number;
  headers: readonly string[];
  body: string;
  /** Whether the connection is closed after it. */
  closes?: boolean;
  /** Whether it answers the proxy's question, which is not logged above debug. */
  isForProxy?: boolean;
}

const RETRY_AFTER = ['Retry-After', '5'];

/** A redirect shows where people were: not to the other site, and to no cache. */
const COMMON = ['Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer', 'X-Content-Type-Options', 'nosniff'];

export const ASK_YES = { ...withoutBody('ask_yes', 200), isForProxy: true };
export const ASK_NO = { ...withoutBody('ask_no', 404), isForProxy: true };
export const ASK_UNAVAILABLE = { ...withoutBody('unavailable', 503, RETRY_AFTER), isForProxy: true };

const NOT_FOUND = pageOf('Not found', 'There is nothing at this address.');
export const UNKNOWN_HOST = withPage('unknown', 404, NOT_FOUND);
/** The same to the byte: nobody learns which hosts are known. */
export const NO_URL = withPage('no_url', 404, NOT_FOUND);
export const TRY_LATER = withPage('unavailable', 503, pageOf('Not available', 'Please try again in a moment.'), RETRY_AFTER);
export const WRONG_METHOD = withPage('refused', 405, pageOf('Method not allowed', 'This address answers GET and HEAD.'), [
  'Allow',
  'GET, HEAD',
]);

export function redirectTo(location: string, outcome: Outcome): Answer {
  return withoutBody(outcome, 302, ['Location', location]);
}

/** Closes the connection: what follows may be part of what was refused. */
export function refusal(status: number, title: string, text: string): Answer {
  return { ...withPage('refused', status, pageOf(title, text)), closes: true };
}

function withoutBody(outcome: Outcome, status: number, headers: readonly string[] = []): Answer {
  return { outcome, status, headers: [...headers, ...COMMON, 'Content-Length', '0'], body: '' };
}

function withPage(outcome: Outcome, status: number, body: string, headers: readonly string[] = []): Answer {
  const ofPage = ['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', "default-src 'none'"];
  return { outcome, status, headers: [...headers, ...ofPage, ...COMMON, 'Content-Length', String(Buffer.byteLength(body))], body };
}
