import { CHANNELS } from '../channels/channel-table';
import type { Claim, Ended } from '../queue/claim';

const FAST_MS = 1_000;
/** Sixteen attempts in each place within the second after which claims without a place are given back. */
const INSTANT_MS = 50;
const MAX_LANES = 10_000;

/** Lanes whose receiver answered quickly. Only their deliveries are claimed ahead, never paid ones. */
export class SpeedRecord {
  /** Duration of the last attempt. */
  private readonly fast = new Map<string, number>();

  isFast(lane: string): boolean {
    return this.fast.has(lane);
  }

  isInstant(lane: string): boolean {
    return (this.fast.get(lane) ?? Infinity) < INSTANT_MS;
  }

  note({ lane, type }: Claim, { verdict, durationMs }: Ended): void {
    const isFast = verdict.outcome === 'delivered' && durationMs < FAST_MS && !CHANNELS.get(type)!.isPaid;
    if (!isFast) this.fast.delete(lane);
    else if (this.fast.size < MAX_LANES || this.fast.has(lane)) this.fast.set(lane, durationMs);
  }
}
