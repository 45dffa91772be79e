import { DEADLINE_MS } from './claim';
import type { SlotUse } from './slots';

/** A lane's state; times in milliseconds since 1970. */
export interface Lane {
  readonly name: string;
  readonly accountId: number;
  /** When a claim is worth trying; null when nothing is pending. */
  available: number | null;
  pausedUntil: number;
  /** Deliveries with a lease, even a lapsed one; known once the lane's deliveries have been read. */
  inFlight: number;
  /** Whether the last attempt took longer than a second. */
  isSlow: boolean;
  /** How long the last attempt took; null before the first has ended. */
  lastMs: number | null;
  lastClaim: number;
}

export interface Recipient {
  handlerId: number;
  type: string;
}

/** Attempts at once in a lane, over all processes. */
export const MAX_IN_FLIGHT = 4;
const PACE_MS = 1_000;
/** Types whose services accept one message a second. */
const PACED = new Set(['slack', 'telegram', 'twilio_call']);

/** The lane of a delivery: its handler's, except that an account's Twilio calls share one. */
export function laneOf({ type, handlerId }: Recipient, accountId: number): string {
  return type === 'twilio_call' ? `${type}:account:${accountId}` : `${type}:${handlerId}`;
}

/** How many deliveries may be claimed now. */
export function capacityOf(lane: Lane, now: number): number {
  if (now < openFrom(lane)) return 0;
  return isPaced(lane) ? Math.min(roomIn(lane), 1) : roomIn(lane);
}

/** When the lane opens for the next claim, if it has room. */
export function openFrom(lane: Lane): number {
  return Math.max(lane.pausedUntil, isPaced(lane) ? lane.lastClaim + PACE_MS : 0);
}

/** One at a time after a timeout, so that a receiver that hangs holds few slots. */
export function roomIn({ lastMs, inFlight }: Lane): number {
  return Math.max(0, ((lastMs ?? 0) >= DEADLINE_MS ? 1 : MAX_IN_FLIGHT) - inFlight);
}

export function slotUseOf({ isSlow, lastMs, inFlight }: Pick<Lane, 'isSlow' | 'lastMs' | 'inFlight'>): SlotUse {
  if (isSlow) return 'slow';
  if (lastMs !== null) return 'fast';
  return inFlight === 0 ? 'first' : 'untried';
}

function isPaced({ name }: Lane): boolean {
  return PACED.has(name.slice(0, name.indexOf(':')));
}
