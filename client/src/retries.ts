import { FrontdeskError } from './errors.js';

export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export interface RetryRules {
  /** Maximum number of retries per request. */
  retries: number;
  /** Maximum wait in seconds; with a longer `Retry-After`, the request is not retried. */
  maxWait: number;
  wait: Wait;
}

export interface Retryable extends RetryRules {
  /** Whether a request that may have been carried out may be sent again. */
  isRepeatable: boolean;
  signal?: AbortSignal;
}

const FIRST_WAIT_MS = 250;
/** After these statuses, the request may have been carried out. */
const UNCERTAIN_STATUSES = new Set([0, 502, 503, 504]);

/** @throws FrontdeskError of the last attempt, or the signal's reason */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, maxWait, wait, isRepeatable, signal }: Retryable): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      signal?.throwIfAborted();
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof FrontdeskError) || retry >= retries || !mayRetry(error, isRepeatable)) throw error;
      if ((error.retryAfter ?? 0) > maxWait) throw error;
      await wait((error.retryAfter ?? 0) * 1000 || backoff(retry, maxWait), signal);
    }
  }
}

/** @throws the signal's reason */
export const waitFor: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

function mayRetry({ status, code }: FrontdeskError, isRepeatable: boolean): boolean {
  if (status === 429) return true; // it was not carried out
  if (code === 'invalid_response' && status === 0) return false;
  return isRepeatable && (UNCERTAIN_STATUSES.has(status) || code === 'idempotency_key_in_use');
}

/** Exponential backoff with jitter, so that clients don't retry at the same time. */
function backoff(retry: number, maxWait: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** retry, maxWait * 1000) * (0.5 + Math.random() / 2);
}
