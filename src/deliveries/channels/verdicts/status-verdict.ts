import type { OutboundResponse } from '../../../outbound/outbound-request';
import type { Outcome, Verdict } from '../channel';
import { retryAfterMs } from './retry-after';

const TOO_MANY_REQUESTS = 429;

/** What only the channel can tell from a response. */
interface Reading {
  isDelivered: boolean;
  /** Wait requested in the body, unchecked. */
  seconds?: unknown;
  /** The service's own error code. */
  code?: number;
  /** The service's reason, for the detail. */
  reason?: string;
}

/** Rejections are final; other failures are tried again. `now` is in milliseconds since 1970. */
export function statusVerdict({ status, headers }: OutboundResponse, now: number, reading: Reading): Verdict {
  const { isDelivered, seconds, code, reason } = reading;
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
