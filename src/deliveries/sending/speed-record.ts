import { CHANNELS } from '../channels/channel-table';
import type { Claim, Ended } from '../queue/claim';

const FAST_MS = 1_000;
const MAX_LANES = 10_000;

/** Lanes whose receiver answered quickly. Only their deliveries are claimed ahead, never paid ones. */
export class SpeedRecord {
  private readonly fast = new Set<string>();

  isFast(lane: string): boolean {
    return this.fast.has(lane);
  }

  note({ lane, type }: Claim, { verdict, durationMs }: Ended): void {
    const isFast = verdict.outcome === 'delivered' && durationMs < FAST_MS && !CHANNELS.get(type)!.isPaid;
    if (!isFast) this.fast.delete(lane);
    else if (this.fast.size < MAX_LANES) this.fast.add(lane);
  }
}
