/** Why a service refuses; the ErrorFilter gives each a status. */
export type RefusalCode =
  | 'acknowledgement_not_requested'
  | 'cursor_expired'
  | 'delivery_expired'
  | 'delivery_not_failed'
  | 'delivery_obsolete'
  | 'handler_unavailable'
  | 'host_taken'
  | 'invalid_parameter'
  | 'limit_reached'
  | 'missing_parameter'
  | 'public_url_missing'
  | 'rate_limited'
  | 'replay_in_progress'
  | 'replay_unconfirmed'
  | 'unavailable';

/** The input at fault. */
export interface Source {
  in: 'query' | 'path' | 'form' | 'header';
  name: string;
}

/** `detail` says what is accepted and never contains the rejected value. */
export interface Violation<Code extends string = RefusalCode> {
  code: Code;
  detail: string;
  source?: Source;
}

/** What a service throws when it refuses: everything that is wrong; the first violation decides the status. */
export class Refusal extends Error {
  constructor(
    readonly violations: readonly Violation[],
    /** Seconds after which the same request may succeed. */
    readonly retryAfter?: number,
  ) {
    super(violations.map(({ detail }) => detail).join(' '));
  }
}

export function refusal(code: RefusalCode, detail: string, source?: Source, retryAfter?: number): Refusal {
  return new Refusal([{ code, detail, source }], retryAfter);
}

/** The same request may succeed soon. */
export function unavailable(detail: string): Refusal {
  return refusal('unavailable', detail, undefined, 1);
}
