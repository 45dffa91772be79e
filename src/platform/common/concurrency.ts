/** A semaphore with a FIFO queue. */
export class Semaphore {
  private readonly waiting = new Set<() => void>();

  constructor(
    private free: number,
    private readonly limits: { maxWaiting?: number; timeoutMs?: number },
  ) {}

  /** Takes a slot, or waits for one in the queue. False when the queue is full, or on timeout. */
  acquire(): boolean | Promise<boolean> {
    const { maxWaiting = Infinity, timeoutMs } = this.limits;
    if (this.free > 0) {
      this.free--;
      return true;
    }
    if (this.waiting.size >= maxWaiting) return false;
    return new Promise((resolve) => {
      const settle = (isAcquired: boolean) => {
        this.waiting.delete(grant);
        clearTimeout(timer);
        resolve(isAcquired);
      };
      const grant = () => settle(true);
      const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, false);
      this.waiting.add(grant);
    });
  }

  release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.free++;
  }
}

/** A semaphore with a total limit and one per account. */
export class AccountSlots {
  private readonly usedByAccount = new Map<number, number>();
  private used = 0;

  constructor(
    private readonly max: number,
    private readonly maxPerAccount = max,
  ) {}

  get inUse(): number {
    return this.used;
  }

  get isFull(): boolean {
    return this.used >= this.max;
  }

  usedBy(accountId: number): number {
    return this.usedByAccount.get(accountId) ?? 0;
  }

  /** Whether the account is below its own limit. */
  hasShare(accountId: number): boolean {
    return this.usedBy(accountId) < this.maxPerAccount;
  }

  /** Returns false when no slot is free for the account. */
  tryAcquire(accountId: number): boolean {
    if (this.isFull || !this.hasShare(accountId)) return false;
    this.acquire(accountId);
    return true;
  }

  /** Takes a slot regardless of the limits. */
  acquire(accountId: number): void {
    this.usedByAccount.set(accountId, this.usedBy(accountId) + 1);
    this.used++;
  }

  release(accountId: number): void {
    const left = this.usedBy(accountId) - 1;
    if (left === 0) this.usedByAccount.delete(accountId);
    else this.usedByAccount.set(accountId, left);
    this.used--;
  }

  copy(maxPerAccount = this.maxPerAccount): AccountSlots {
    const copy = new AccountSlots(this.max, maxPerAccount);
    for (const [accountId, used] of this.usedByAccount) copy.usedByAccount.set(accountId, used);
    copy.used = this.used;
    return copy;
  }
}

/** Shares runs of a task: callers that arrive during a run share the next one, which sees their writes. */
export class SharedRuns<T> {
  private readonly running = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();

  isRunning(key: string): boolean {
    return this.running.has(key);
  }

  run(key: string, task: () => Promise<T>): Promise<T> {
    const running = this.running.get(key);
    if (!running) return this.start(key, task);
    const next = this.next.get(key) ?? this.startAfter(running, key, task);
    this.next.set(key, next);
    return next;
  }

  private start(key: string, task: () => Promise<T>): Promise<T> {
    const run = task().finally(() => this.running.delete(key));
    this.running.set(key, run);
    return run;
  }

  private async startAfter(running: Promise<T>, key: string, task: () => Promise<T>): Promise<T> {
    await running.catch(() => undefined);
    this.next.delete(key);
    return this.start(key, task);
  }
}
