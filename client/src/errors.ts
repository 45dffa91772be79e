import type { components, ServiceErrorCode } from './schema.js';

/** One reason why a request was refused; `source` names the input at fault. */
export type Violation = components['schemas']['Errors']['errors'][number];

/**
 * The service's codes, and the client's: `connection_lost`; `invalid_response`, for a response that is not the service's, such as a proxy's
 * page; and `invalid_signature`. Extensions add their own codes.
 */
export type ErrorCode = ServiceErrorCode | 'connection_lost' | 'invalid_response' | 'invalid_signature' | (string & {});

interface ErrorDetails {
  status?: number;
  code: ErrorCode;
  violations?: Violation[];
  requestId?: string | null;
  retryAfter?: number | null;
  cause?: unknown;
}

/** Thrown on every failure except an abort, which throws the signal's reason. */
export class FrontdeskError extends Error {
  override readonly name = 'FrontdeskError';
  /** The response's status, 0 if there was no response. */
  readonly status: number;
  /** The code of the first violation. */
  readonly code: ErrorCode;
  /** All reasons why the service refused the request. */
  readonly violations: readonly Violation[];
  /** The request's id in the service's log. */
  readonly requestId: string | null;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | null;

  constructor(message: string, { status = 0, code, violations = [], requestId = null, retryAfter = null, cause }: ErrorDetails) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.violations = violations;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  static fromResponse(response: Response, body: unknown): FrontdeskError {
    const { status, headers } = response;
    const violations = violationsOf(body);
    const message = violations.map(({ detail }) => detail).join(' ') || `The server answered ${status}.`;
    const code = violations[0]?.code ?? 'invalid_response';
    return new FrontdeskError(message, {
      ...{ status, code, violations },
      requestId: headers.get('X-Request-Id'),
      retryAfter: parseRetryAfter(headers.get('Retry-After')),
    });
  }
}

/** Empty for a response that is not the service's, such as a proxy's error page. */
function violationsOf(body: unknown): Violation[] {
  const errors = (body as { errors?: unknown } | null | undefined)?.errors;
  return Array.isArray(errors) ? (errors as Violation[]) : [];
}

/** Parses seconds, or an HTTP date (RFC 9110, 10.2.3). */
function parseRetryAfter(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
