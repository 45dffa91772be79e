import { type Counts, type Outcome, OUTCOMES } from '../messages';

/** Counts requests until they are reported. */
export class Tally {
  private counts = zero();

  count(outcome: Outcome): void {
    this.counts[outcome]++;
  }

  /** The counts since the last time. */
  take(): Counts {
    const taken = this.counts;
    this.counts = zero();
    return taken;
  }
}

function zero(): Counts {
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Counts;
}
