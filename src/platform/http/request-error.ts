import type { RefusalCode, Source, Violation as ViolationOf } from '../common/errors';

/** Every error of the API. The reference is not made until scripts/reference.mjs has an example of a new one, or excludes it. */
export const ERRORS = {
  missing_parameter: { status: 400, title: 'Missing parameter' },
  invalid_parameter: { status: 400, title: 'Invalid parameter' },
  unknown_parameter: { status: 400, title: 'Unknown parameter' },
  malformed_request: { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Unauthenticated' },
  insufficient_scope: { status: 403, title: 'Insufficient scope' },
  invalid_signature: { status: 403, title: 'Invalid signature' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  acknowledgement_not_requested: { status: 409, title: 'Acknowledgement not requested' },
  delivery_expired: { status: 409, title: 'Delivery expired' },
  delivery_not_failed: { status: 409, title: 'Delivery not failed' },
  delivery_obsolete: { status: 409, title: 'Delivery obsolete' },
  handler_unavailable: { status: 409, title: 'Handler unavailable' },
  host_taken: { status: 409, title: 'Host taken' },
  limit_reached: { status: 409, title: 'Limit reached' },
  public_url_missing: { status: 409, title: 'Public URL missing' },
  replay_in_progress: { status: 409, title: 'Replay in progress' },
  replay_unconfirmed: { status: 409, title: 'Replay unconfirmed' },
  idempotency_key_in_use: { status: 409, title: 'Idempotency key in use' },
  cursor_expired: { status: 410, title: 'Cursor expired' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused' },
  rate_limited: { status: 429, title: 'Rate limited' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const satisfies Record<RefusalCode, object> & Record<string, object>;

export type ErrorCode = keyof typeof ERRORS;

const MAX_CODE_LENGTH = 64;

/** Whether an extension may use it as the `code` of an error: snake_case, 1 to 64 characters. */
export function isErrorCode(code: unknown): code is string {
  return typeof code === 'string' && code.length <= MAX_CODE_LENGTH && /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code);
}

/** `Coupon used up` for `coupon_used_up`. */
export function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return ERRORS[code as ErrorCode]?.title ?? words[0].toUpperCase() + words.slice(1);
}

export type Violation = ViolationOf<ErrorCode>;

/** A name from a request as a `detail` may show it. */
export function printableName(name: string): string {
  return /^[\w.[\]-]{1,64}$/.test(name) ? name : 'A name in this request';
}

/** A refused request, with all its violations; the first sets the status. */
export class RequestError extends Error {
  constructor(
    readonly violations: readonly Violation[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(violations.map((violation) => violation.detail).join(' '));
  }

  static of(code: ErrorCode, detail: string, source?: Source, headers?: Record<string, string>): RequestError {
    return new RequestError([{ code, detail, source }], headers);
  }

  static inHeader(code: ErrorCode, detail: string, name: string, headers?: Record<string, string>): RequestError {
    return RequestError.of(code, detail, { in: 'header', name }, headers);
  }

  static malformed(detail: string): RequestError {
    return RequestError.of('malformed_request', detail);
  }

  /** 503: the same request may succeed soon. */
  static unavailable(detail: string): RequestError {
    return RequestError.of('unavailable', detail, undefined, { 'Retry-After': '1' });
  }
}

/** An error in a response. */
export interface ErrorEntry {
  status: number;
  code: string;
  title: string;
  detail: string;
  source?: Source;
}

export function entryOf({ code, detail, source }: Violation): ErrorEntry {
  const { status, title } = ERRORS[code];
  return { status, code, title, detail, source };
}

export function errorBody(entries: readonly ErrorEntry[], requestId: string) {
  return { errors: entries.map((entry) => ({ id: requestId, ...entry })) };
}
