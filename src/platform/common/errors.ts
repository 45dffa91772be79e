/** Every error code of the API, with its status. scripts/reference.mjs fails until it has an example of each new code, or excludes it. */
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
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The invalid part of the request. */
export interface ViolationSource {
  in: 'query' | 'path' | 'form' | 'header';
  name: string;
}

/** `detail` says what is accepted and never contains the rejected value. */
export interface Violation {
  code: ErrorCode;
  detail: string;
  source?: ViolationSource;
}

/** A name from a request, or a placeholder if the name is not safe to show in a `detail`. */
export function printableName(name: string): string {
  return /^[\w.[\]-]{1,64}$/.test(name) ? name : 'A name in this request';
}

/** Thrown by services, guards and pipes to refuse a request. Lists everything that is wrong with it; the first violation sets the status. */
export class RequestError extends Error {
  constructor(
    readonly violations: readonly Violation[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(violations.map((violation) => violation.detail).join(' '));
  }

  static of(code: ErrorCode, detail: string, source?: ViolationSource, headers?: Record<string, string>): RequestError {
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

/** No record of this account has this id. Doesn't reveal whether another account's record has it. */
export class RecordNotFound extends RequestError {
  constructor(noun: string) {
    super([{ code: 'not_found', detail: `There is no ${noun} with this id.` }]);
  }
}

/** The record has changed since its version was read. */
export class StaleVersion extends RequestError {
  constructor() {
    const source: ViolationSource = { in: 'header', name: 'If-Match' };
    super([{ code: 'precondition_failed', detail: 'The record has changed since: read it again.', source }]);
  }
}
