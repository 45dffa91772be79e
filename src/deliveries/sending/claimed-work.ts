import { type Claim, noAnswer, type Settlement, type SlotClaim } from '../queue/claim';
import { Slots } from '../queue/slots';
import type { Dispatcher, DispatchOptions } from './dispatch';

/** What this process has claimed: deliveries at work, each in a slot. */
export class ClaimedWork {
  /** Not settled yet. */
  ended: Settlement[] = [];
  private readonly used: Slots;
  private readonly atWork = new Map<number, SlotClaim>();
  private isClosed = false;

  /** Calls `onEnd` when a claim has ended. */
  constructor(
    concurrency: number,
    private readonly onEnd: () => void,
  ) {
    this.used = new Slots(concurrency);
  }

  get isEmpty(): boolean {
    return this.atWork.size === 0;
  }

  get hasRoom(): boolean {
    return !this.slots.isFull;
  }

  /** None when closed. */
  get slots(): Slots {
    return this.isClosed ? new Slots(0) : this.used;
  }

  begin(claims: readonly SlotClaim[], attempt: Dispatcher, options: DispatchOptions): void {
    for (const claim of claims) {
      this.atWork.set(claim.id, claim);
      this.used.take(claim.accountId, claim.use);
      if (this.isClosed) this.end({ claim, ending: 'given back' });
      else void attempt(claim, options).then((ending) => this.end({ claim, ending }));
    }
  }

  /** Starts nothing any more. */
  close(): void {
    this.isClosed = true;
  }

  /** Notes the attempts that still wait for an answer: the process ends. */
  cutOff(now: number): void {
    for (const claim of this.atWork.values()) this.end({ claim, ending: noAnswer(claim, now) });
  }

  private end(settlement: Settlement & { claim: Claim }): void {
    const claim = this.atWork.get(settlement.claim.id);
    if (claim !== settlement.claim) return; // cut off
    this.atWork.delete(claim.id);
    this.used.release(claim.accountId, claim.use);
    this.ended.push(settlement);
    this.onEnd();
  }
}
