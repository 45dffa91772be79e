/** Places that stay free for other accounts' next delivery, however much one account has due: a place may be held for 10 s. */
const RESERVED = 1 / 4;

/** The places of a process, for attempts at work: at most `max`, and at most a share for each account. */
export class Places {
  private total: number;

  constructor(
    private readonly max: number,
    private readonly used = new Map<number, number>(),
    /** Accounts with something due. */
    public dueAccounts: ReadonlySet<number> = new Set(),
  ) {
    this.total = [...used.values()].reduce((sum, count) => sum + count, 0);
  }

  get free(): number {
    return this.max - this.total;
  }

  get isFull(): boolean {
    return this.free <= 0;
  }

  /** For a plan that may fail. */
  copy(dueAccounts: ReadonlySet<number>): Places {
    return new Places(this.max, new Map(this.used), dueAccounts);
  }

  tryTake(accountId: number): boolean {
    const used = this.used.get(accountId) ?? 0;
    if (this.isFull || used >= this.shareOf(accountId)) return false;
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

  /** Half, while another account has something due. */
  private shareOf(accountId: number): number {
    const isAlone = this.dueAccounts.size === 0 || (this.dueAccounts.size === 1 && this.dueAccounts.has(accountId));
    return Math.max(1, Math.floor(this.max * (isAlone ? 1 - RESERVED : 1 / 2)));
  }
}
