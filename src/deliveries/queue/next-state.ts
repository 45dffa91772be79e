import type { DeliveryStatus } from '../delivery.entity';
import { type Claim, DEADLINE_MS, type Ended, type Ending, isEnded, LEASE_MS } from './claim';
import type { Lane } from './lane';

const JITTER = 0.1;
/** Longest wait that a receiver can ask for. */
export const MAX_PAUSE_MS = 60 * 60 * 1_000;
const FAST_MS = 1_000;

/** A delivery after its claim has ended. */
export interface NextState {
  status: DeliveryStatus;
  /** Milliseconds since 1970; null when finished. */
  nextAttempt: number | null;
}

/** Whether the delivery is finished, or when it is tried again. */
export function nextStateOf({ tries }: Claim, { verdict, time, hasLapsed }: Ended, waitsMs: readonly number[]): NextState {
  if (verdict.outcome === 'delivered') return { status: 'delivered', nextAttempt: null };
  if (verdict.isFinal || tries >= waitsMs.length) return { status: 'failed', nextAttempt: null };
  if (hasLapsed) return { status: 'pending', nextAttempt: time };
  const wait = waitsMs[tries] * (1 - JITTER + 2 * JITTER * Math.random());
  return { status: 'pending', nextAttempt: Math.round(time + Math.max(wait, verdict.retryAfterMs ?? 0)) };
}

/** How far ahead a delivery or a lane can be due. */
export function maxWaitOf(waitsMs: readonly number[]): number {
  return Math.max(MAX_PAUSE_MS, ...waitsMs.map((wait) => wait * (1 + JITTER))) + LEASE_MS;
}

/** Keeps what the receiver has shown: how fast it is, and how long it asked to wait. */
export function noteEnding(lane: Lane, ending: Ending): void {
  if (!isEnded(ending)) return;
  const { outcome, isFinal, retryAfterMs = 0 } = ending.verdict;
  if (outcome !== 'daily_limit') {
    lane.lastMs = outcome === 'timeout' ? DEADLINE_MS : ending.durationMs; // a paid type's timeout is `unknown`
    lane.isSlow = lane.lastMs > FAST_MS;
  }
  if (!isFinal) lane.pausedUntil = Math.max(lane.pausedUntil, ending.time + retryAfterMs);
}
