import { type InUse, placesFor } from '../queue/fair-share';

/** The places of this process: attempts at work, at most DELIVERY_CONCURRENCY, and at most a share for each account. */
export class Places {
  readonly inUse: InUse;
  private readonly used = new Map<number, number>();
  private total = 0;
  /** Accounts that had something due in the last turn. */
  dueAccounts: ReadonlySet<number> = new Set();

  constructor(private readonly max: number) {
    this.inUse = this.used;
  }

  get isFull(): boolean {
    return this.total >= this.max;
  }

  tryTake(accountId: number): boolean {
    const used = this.used.get(accountId) ?? 0;
    if (this.isFull || used >= placesFor(accountId, this.max, this.dueAccounts)) return false;
    this.used.set(accountId, used + 1);
    this.total++;
    return true;
  }

  release(accountId: number): void {
    const left = (this.used.get(accountId) ?? 0) - 1;
    if (left > 0) this.used.set(accountId, left);
    else this.used.delete(accountId);
    this.total--;
  }
}
