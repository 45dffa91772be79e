/** A semaphore with a limit in total and per account. */
export class AccountSlots {
  private readonly usedByAccount = new Map<number, number>();
  private used = 0;

  constructor(
    private readonly max: number,
    private readonly maxPerAccount: number,
  ) {}

  get inUse(): number {
    return this.used;
  }

  /** Returns false when no slot is free. */
  tryAcquire(accountId: number): boolean {
    const used = this.usedBy(accountId);
    if (this.used >= this.max || used >= this.maxPerAccount) return false;
    this.usedByAccount.set(accountId, used + 1);
    this.used++;
    return true;
  }

  release(accountId: number): void {
    const left = this.usedBy(accountId) - 1;
    if (left === 0) this.usedByAccount.delete(accountId);
    else this.usedByAccount.set(accountId, left);
    this.used--;
  }

  private usedBy(accountId: number): number {
    return this.usedByAccount.get(accountId) ?? 0;
  }
}
