import { DAY_MS, MINUTE_MS } from '../common/time';
import { RequestError } from '../http/errors/request-error';

/** How often an account may do something. */
export interface Quota {
  /** In the database and in headers; up to 64 characters. */
  name: string;
  limit: number;
  window: keyof typeof WINDOWS;
}

/** A minute begins with its first use, a day at midnight, UTC. */
export const WINDOWS = {
  minute: { ms: MINUTE_MS, startAt: (now: number) => now },
  day: { ms: DAY_MS, startAt: (now: number) => now - (now % DAY_MS) },
} as const;

/** As in draft-ietf-httpapi-ratelimit-headers-10. */
export function quotaHeaders({ name, limit, window }: Quota, remaining: number, resetSeconds: number): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${limit};w=${WINDOWS[window].ms / 1_000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

export function quotaExceeded(detail: string, resetSeconds: number, headers: Record<string, string> = {}): RequestError {
  return RequestError.of('rate_limited', detail, undefined, { 'Retry-After': String(resetSeconds), ...headers });
}
