import type { Outcome, Verdict } from '../channels/channel';
import type { Until } from '../delivery.entity';
import type { SlotUse } from './slots';

/** A delivery leased to one process, which alone may attempt it until the lease ends. */
export interface Claim {
  readonly id: number;
  readonly accountId: number;
  readonly messageId: number;
  readonly handlerId: number;
  readonly type: string;
  /** `Delivery.part`. */
  readonly part: string;
  readonly eventId: string | null;
  readonly until: Until | null;
  readonly lane: string;
  /** Outcome of the previous attempt, if any. */
  readonly outcome: Outcome | null;
  /** Number of the claimed attempt, from 1. */
  readonly number: number;
  /** `Delivery.tries`: attempts that have ended since creation or the last manual retry. */
  readonly tries: number;
  readonly lease: string;
  /** `Delivery.has_content`; set only when the claim was read from the database. */
  readonly hasContent?: boolean;
  /** When the lease began, in milliseconds since 1970. */
  readonly started: number;
  /** Whether the account has used up today's limit for the type. */
  readonly isOverLimit: boolean;
}

/** A claim that takes a slot of this process. */
export interface SlotClaim extends Claim {
  readonly use: SlotUse;
}

/** A pending delivery without a lease. */
export interface PendingDelivery extends Omit<Claim, 'lease' | 'started' | 'isOverLimit'> {
  nextAttempt: number;
  isCounted: boolean;
}

/** How a claim ended. `released`: nothing was sent, and the attempt doesn't count. `cancelled`: the handler can no longer be used. */
export type Ending = AttemptResult | 'released' | 'cancelled';

export interface AttemptResult {
  verdict: Verdict;
  durationMs: number;
  /** When the attempt ended, in milliseconds since 1970. */
  time: number;
  /** The claim's lease lapsed: the next attempt is due at once, without a retry delay. */
  hasLapsed?: boolean;
}

export interface Settlement {
  claim: Claim;
  ending: Ending;
}

/** A delivery that has failed for good. */
export interface FailedDelivery {
  claim: Pick<Claim, 'id' | 'accountId' | 'messageId' | 'handlerId' | 'type' | 'eventId'>;
  ending: Pick<AttemptResult, 'verdict'>;
}

export function hasResult(ending: Ending): ending is AttemptResult {
  return typeof ending === 'object';
}

/** Time for an attempt over HTTP: name resolution, connection, request and response together. */
export const ATTEMPT_DEADLINE_MS = 10_000;

/** Longer than the deadline, to allow for process pauses and for clocks that differ between machines. A mail's lease is renewed. */
export const LEASE_MS = 30_000;
