/** A lane's state; times in milliseconds since 1970. */
export interface Lane {
  readonly name: string;
  readonly accountId: number;
  /** When a claim is worth trying; null when nothing is pending. */
  available: number | null;
  pausedUntil: number;
  /** Deliveries with a lease, even a lapsed one; known once the lane's deliveries have been read. */
  inFlight: number;
  isSlow: boolean;
  lastClaim: number;
  /** Deliveries that may have a lease at once; see `depthOf`. */
  depth: number;
}

export interface Recipient {
  handlerId: number;
  type: string;
}

/** Attempts at once in a lane, over all processes. */
export const MAX_IN_FLIGHT = 4;
/** Leases of a lane that one process has to itself, of which MAX_IN_FLIGHT are at work: a turn has more to write. */
export const MAX_DEPTH = 8;
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
  return isPaced(lane) ? Math.min(placesOf(lane), 1) : placesOf(lane);
}

/** When the lane opens for the next claim, places permitting. */
export function openFrom(lane: Lane): number {
  return Math.max(lane.pausedUntil, isPaced(lane) ? lane.lastClaim + PACE_MS : 0);
}

/** One at a time after a timeout, so that a receiver that hangs holds few places. */
export function placesOf({ isSlow, depth, inFlight }: Lane): number {
  return Math.max(0, (isSlow ? 1 : depth) - inFlight);
}

/** Deeper without a lease of another process: this one counts what is at work. */
export function depthOf(lane: Lane, isInstant: boolean, foreignLeases: number): number {
  return isInstant && foreignLeases === 0 && !isPaced(lane) ? MAX_DEPTH : MAX_IN_FLIGHT;
}

function isPaced({ name }: Lane): boolean {
  return PACED.has(name.slice(0, name.indexOf(':')));
}
