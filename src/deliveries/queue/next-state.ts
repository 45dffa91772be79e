import type { DeliveryStatus } from '../delivery.entity';
import { type Claim, DEADLINE_MS, type Ended, type Ending, isEnded } from './claim';
import type { Lane } from './lane';

const JITTER = 0.1;

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

/** Keeps what the receiver has shown: whether it is slow, and how long it asked to wait. */
export function noteEnding(lane: Lane, ending: Ending): void {
  if (!isEnded(ending)) return;
  const { outcome, isFinal, retryAfterMs = 0 } = ending.verdict;
  lane.isSlow = outcome === 'timeout' || ending.durationMs >= DEADLINE_MS; // a paid type's timeout is `unknown`
  if (!isFinal) lane.pausedUntil = Math.max(lane.pausedUntil, ending.time + retryAfterMs);
}
