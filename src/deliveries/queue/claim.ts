import type { Outcome, Verdict } from '../channels/channel';
import type { Until } from '../delivery.entity';
import type { SlotUse } from './slots';

/** A delivery leased to this process, which alone may attempt it until the lease ends. */
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
  /** Outcome of the attempt before, if any. */
  readonly outcome: Outcome | null;
  /** Number of the claimed attempt, from 1. */
  readonly number: number;
  /** `Delivery.tries`: attempts that have ended since creation or the last manual retry. */
  readonly tries: number;
  readonly lease: string;
  /** `Delivery.has_content`. Only of claims read from the database. */
  readonly hasContent?: boolean;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** Whether the account has used up today's limit for the type. */
  readonly isOverLimit: boolean;
}

/** A claim that takes a slot of this process. */
export interface SlotClaim extends Claim {
  readonly use: SlotUse;
}

/** A pending delivery without a lease. */
export interface Pending extends Omit<Claim, 'lease' | 'started' | 'isOverLimit'> {
  nextAttempt: number;
  isCounted: boolean;
}

/** How a claim ended. `given back`: nothing was sent, and the attempt doesn't count. `cancelled`: the handler can no longer be used. */
export type Ending = AttemptResult | 'given back' | 'cancelled';

export interface AttemptResult {
  verdict: Verdict;
  durationMs: number;
  /** Milliseconds since 1970. */
  time: number;
  /** The claim's lease lapsed: the next attempt is due now, without another wait. */
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
export const DEADLINE_MS = 10_000;

/** Longer than the deadline, to allow for pauses of this process and for clocks that differ between machines. Mails renew theirs. */
export const LEASE_MS = 30_000;
