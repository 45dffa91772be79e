import type { Config } from '../../platform/config/config';
import { HOUR_MS } from '../../platform/common/time';
import type { Verdict } from '../channels/channel';
import { CHANNELS } from '../channels/channel-table';
import type { DeliveryStatus } from '../delivery-status';
import { type AttemptResult, type Claim, LEASE_MS } from './claim';

/** Delay before the second and last attempt at a mail that the server may have accepted. */
const AMBIGUOUS_WAIT_MS = HOUR_MS;

/**
 * A delivery's state after an attempt. `isLast`: the message ended during the attempt. `nextAttempt` is in milliseconds since 1970; null
 * once the delivery is finished.
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

/** Result of an attempt that may have sent the message, but whose response is lost. */
export function noAnswerResult({ type, started, hasContent }: Pick<Claim, 'type' | 'started' | 'hasContent'>, now: number): AttemptResult {
  const detail = 'The service stopped before an answer came.';
  const isFinal = CHANNELS.get(type)?.isPaid ?? true;
  const verdict: Verdict = { outcome: 'unknown', isFinal, isAmbiguous: hasContent, status: null, detail };
  return { verdict, durationMs: Math.min(now - started, LEASE_MS), time: now };
}
