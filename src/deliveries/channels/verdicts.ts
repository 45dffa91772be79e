import { HOUR_MS } from '../../platform/common/time';
import type { OutboundResponse } from '../../platform/outbound/outbound-request';
import type { Outcome, Verdict } from './channel';
import { cut } from './text-fit';

/** Longest wait that a receiver can ask for. */
const MAX_PAUSE_MS = HOUR_MS;
const TOO_MANY_REQUESTS = 429;

/** The parts of a response that only its channel understands. */
interface VerdictOptions {
  /** By default, whether the status is 2xx. */
  isDelivered?: boolean;
  /** Requested wait, from the body; not validated. */
  seconds?: unknown;
  /** The receiver's own error code, from the response. */
  code?: number;
  /** The reason in the response, for the detail. */
  reason?: string;
}

/** Judges a response by its status: rejections are final; other failures are retried. `now` is in milliseconds since 1970. */
export function statusVerdict({ status, headers }: OutboundResponse, now: number, options: VerdictOptions = {}): Verdict {
  const { isDelivered = isSuccess(status), seconds, code, reason } = options;
  if (isDelivered) return { outcome: 'delivered', isFinal: true, status, detail: `The receiver answered ${status}.` };
  const outcome = failureOf(status);
  const wait = retryAfterMs(headers['retry-after'], seconds, now);
  return { outcome, isFinal: outcome === 'rejected', status, detail: detailOf(status, reason), code, retryAfterMs: wait };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}

export function isError(status: number): boolean {
  return status >= 400;
}

/** A status that HTTP doesn't define counts as 5xx. */
function failureOf(status: number): Outcome {
  if (status === TOO_MANY_REQUESTS) return 'rate_limited';
  return status >= 200 && status < 500 && status !== 408 && status !== 425 ? 'rejected' : 'server_error';
}

function detailOf(status: number, reason?: string): string {
  if (reason) return `The receiver answered ${status}: ${reason}.`;
  if (isSuccess(status)) return `The receiver answered ${status}, which doesn't confirm the delivery.`;
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`;
  return `The receiver answered ${status}.`;
}

const TIME = String.raw`\d{2}:\d{2}:\d{2}`;
/** The three formats of an HTTP date, all of which a recipient must accept: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATES = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) (?<time>${TIME}) GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\\d{2}) (?<time>${TIME}) GMT$`),
  new RegExp(`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) (?<time>${TIME}) (?<year>\\d{4})$`),
];

/**
 * The wait a receiver asks for, in milliseconds, at most an hour: the longer of its `Retry-After` header and the seconds in its
 * body. Undefined if there is neither, or if they are invalid or in the past.
 */
function retryAfterMs(header: string | undefined, seconds: unknown, now: number): number | undefined {
  const wait = Math.max(delayInHeader(header?.trim() ?? '', now), delayInSeconds(seconds));
  return wait > 0 ? Math.min(wait, MAX_PAUSE_MS) : undefined;
}

/** `Retry-After` is whole seconds or a date: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function delayInHeader(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const { day, month, year, time } = HTTP_DATES.map((format) => format.exec(value)).find(Boolean)?.groups ?? {};
  return (Date.parse(`${day} ${month} ${year} ${time} GMT`) || now) - now;
}

function delayInSeconds(seconds: unknown): number {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.ceil(seconds * 1_000) : 0;
}

/** The object in a response's body; undefined if the body is not one. */
export function jsonObject(body: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return undefined;
  }
}

export function asInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

const MAX_QUOTE_LENGTH = 200;
/** Characters scanned to fill a quote: more than MAX_QUOTE_LENGTH, because each hidden word shrinks to `…`. */
const MAX_SCANNED_LENGTH = 1_000;
const OMISSION = '…';
/** URLs, mail addresses, ports, IPv6 and IPv4 addresses, and host names. */
const ADDRESS = /\/\/|@|:\d|:.*:|\blocalhost\b|\d\.\d{1,3}\.\d{1,3}\.\d|[\p{L}\p{N}-]\.\p{L}{2,}/iu;
/** A part of a secret that is at least this long hides every word that contains it; a shorter one, such as `hook`, only equal words. */
const MIN_CONTAINED_LENGTH = 8;
/** Shorter parts of a secret, such as `api`, hide nothing. */
const MIN_PART_LENGTH = 4;

/** A service's message in quotation marks, on one line, without addresses or parts of the secret. Undefined if nothing is left. */
export function quote(value: unknown, secret = ''): string | undefined {
  if (typeof value !== 'string') return undefined;
  const scanned = value.length > MAX_SCANNED_LENGTH ? value.slice(0, MAX_SCANNED_LENGTH).replace(/\S*$/, '') : value;
  const parts = secret.split(/[^\p{L}\p{N}_-]+/u).filter((part) => part.length >= MIN_PART_LENGTH);
  const words = scanned.split(/[\s\p{C}]+/u).map((word) => (ADDRESS.test(word) || containsSecret(word, parts) ? OMISSION : word));
  const text = words.join(' ').trim();
  return /[\p{L}\p{N}]/u.test(text) ? `"${cut(text, MAX_QUOTE_LENGTH)}"` : undefined;
}

function containsSecret(word: string, parts: readonly string[]): boolean {
  const wordParts = word.split(/[^\p{L}\p{N}_-]+/u);
  return parts.some((part) => (part.length >= MIN_CONTAINED_LENGTH ? word.includes(part) : wordParts.includes(part)));
}
