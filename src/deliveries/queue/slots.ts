import { Semaphore } from '../../platform/common/concurrency';

/**
 * The lane's speed when its attempt takes a slot. `fast`: the lane's last attempt took up to a second; `slow`: it took longer.
 * `untried`: no attempt of the lane has ended. `first`: none has ended or is in progress.
 */
export type SlotUse = 'fast' | 'slow' | 'untried' | 'first';

const ACCOUNT_SHARE = 1 / 2;
const UNPROVEN_ACCOUNT_SHARE = 1 / 8;
/** Fraction of the slots for lanes not known to be fast; the rest is reserved for `fast` and `first`. */
const UNPROVEN_FRACTION = 3 / 4;

/** A process's slots for attempts, limited per account so that hanging receivers leave some for others. */
export class Slots {
  constructor(
    private readonly max: number,
    private readonly allSlots = new Semaphore(max),
    /** Taken by every use except `fast`: the receiver may hang for 10 s. */
    private readonly unproven = new Semaphore(fraction(max, UNPROVEN_FRACTION), { maxPerAccount: fraction(max, UNPROVEN_ACCOUNT_SHARE) }),
    /** Taken by the use `first`. */
    private readonly firstSlots = new Semaphore(max, { maxPerAccount: 1 }),
  ) {}

  get isFull(): boolean {
    return this.allSlots.isFull;
  }

  get hasRoomForSlow(): boolean {
    return !this.isFull && !this.unproven.isFull;
  }

  /** Returns a copy to plan claims with. If several accounts have due deliveries, each gets at most half of the slots. */
  copy(dueAccounts: ReadonlySet<number>): Slots {
    const share = dueAccounts.size > 1 ? fraction(this.max, ACCOUNT_SHARE) : this.max;
    return new Slots(this.max, this.allSlots.copy(share), this.unproven.copy(), this.firstSlots.copy());
  }

  usedBy(accountId: number): number {
    return this.allSlots.usedBy(accountId);
  }

  /** Returns false when no slot is free for this use. */
  tryTake(accountId: number, use: SlotUse): boolean {
    if (!this.isFree(accountId, use)) return false;
    this.take(accountId, use);
    return true;
  }

  /** Takes a slot without checking the limits, for a claim that `tryTake` has admitted on a copy. */
  take(accountId: number, use: SlotUse): void {
    for (const slots of this.semaphoresFor(use)) slots.take(accountId);
  }

  release(accountId: number, use: SlotUse): void {
    for (const slots of this.semaphoresFor(use)) slots.release(accountId);
  }

  private isFree(accountId: number, use: SlotUse): boolean {
    if (this.isFull || !this.allSlots.isBelowLimit(accountId)) return false;
    if (use === 'fast') return true;
    return this.unproven.isBelowLimit(accountId) && (!this.unproven.isFull || (use === 'first' && this.firstSlots.isBelowLimit(accountId)));
  }

  private semaphoresFor(use: SlotUse): Semaphore[] {
    if (use === 'fast') return [this.allSlots];
    return use === 'first' ? [this.allSlots, this.unproven, this.firstSlots] : [this.allSlots, this.unproven];
  }
}

function fraction(max: number, share: number): number {
  return Math.max(1, Math.floor(max * share));
}
