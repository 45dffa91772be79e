import type { Config } from '../../platform/config/config';
import { HOUR_MS } from '../../platform/common/time';
import type { Outcome, Verdict } from '../channels/channel';
import { CHANNELS } from '../channels/channel-table';
import type { DeliveryStatus } from '../delivery.entity';
import type { Until } from '../messages/message.entity';
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

/** Wait before the only other attempt of a mail that may have been accepted. */
const AMBIGUOUS_WAIT_MS = HOUR_MS;

/**
 * A delivery's state after an attempt. `isLast`: the message was cancelled meanwhile. `nextAttempt` is in milliseconds since 1970, null
 * when finished.
 */
export function nextStateOf(
  { tries, outcome }: Pick<Claim, 'tries' | 'outcome'>,
  { verdict, time, hasLapsed }: AttemptResult,
  { waitsMs, jitter }: Pick<Config['deliveries'], 'waitsMs' | 'jitter'>,
  isLast = false,
): { status: DeliveryStatus; nextAttempt: number | null } {
  if (verdict.outcome === 'delivered') return { status: 'delivered', nextAttempt: null };
  if (isLast) return { status: 'cancelled', nextAttempt: null };
  if (verdict.isFinal || tries >= waitsMs.length) return { status: 'failed', nextAttempt: null };
  if (verdict.isAmbiguous) {
    const isSecond = tries > 0 && outcome === 'unknown';
    return isSecond ? { status: 'failed', nextAttempt: null } : { status: 'pending', nextAttempt: time + AMBIGUOUS_WAIT_MS };
  }
  if (hasLapsed) return { status: 'pending', nextAttempt: time };
  const wait = waitsMs[tries] * (1 - jitter + 2 * jitter * Math.random());
  return { status: 'pending', nextAttempt: Math.round(time + Math.max(wait, verdict.retryAfterMs ?? 0)) };
}

/** Ending of an attempt that may have been sent, but whose response is lost. */
export function noAnswer({ type, started, hasContent }: Pick<Claim, 'type' | 'started' | 'hasContent'>, now: number): AttemptResult {
  const detail = 'The service stopped before an answer came.';
  const isFinal = CHANNELS.get(type)?.isPaid ?? true;
  const verdict: Verdict = { outcome: 'unknown', isFinal, isAmbiguous: hasContent, status: null, detail };
  return { verdict, durationMs: Math.min(now - started, LEASE_MS), time: now };
}
