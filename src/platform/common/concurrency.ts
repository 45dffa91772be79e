export interface SemaphoreLimits {
  maxPerAccount?: number;
  /** Maximum length of each account's queue, or of the only queue if `acquire` is called without accounts. */
  maxWaiting?: number;
  timeoutMs?: number;
  /** Whether callers that find the queue full are refused only after the timeout, which slows down eager clients. */
  delaysRefusal?: boolean;
}

/** Stands for the account where callers pass none. */
const NO_ACCOUNT = 0;

/** A semaphore with a limit per account, and a FIFO queue per account; the queues are served round robin. */
export class Semaphore {
  private readonly usedByAccount = new Map<number, number>();
  /** Callbacks that grant a slot, by account; the first account is served next. */
  private readonly queues = new Map<number, Set<() => void>>();
  private usedSlots = 0;

  constructor(
    private readonly max: number,
    private readonly limits: SemaphoreLimits = {},
  ) {}

  get inUse(): number {
    return this.usedSlots;
  }

  get waiting(): number {
    return [...this.queues.values()].reduce((sum, queue) => sum + queue.size, 0);
  }

  get isFull(): boolean {
    return this.usedSlots >= this.max;
  }

  usedBy(accountId: number): number {
    return this.usedByAccount.get(accountId) ?? 0;
  }

  /** Whether the account is below its own limit. */
  isBelowLimit(accountId: number): boolean {
    return this.usedBy(accountId) < (this.limits.maxPerAccount ?? this.max);
  }

  /** Takes a slot. Returns false when none is free for the account, or when the account's queue is not empty. */
  tryAcquire(accountId = NO_ACCOUNT): boolean {
    if (this.queues.has(accountId) || !this.isFree(accountId)) return false;
    this.take(accountId);
    return true;
  }

  /** Takes a slot, or waits for one in the queue. False when the queue is full, on timeout, or when cancelled. */
  acquire(accountId = NO_ACCOUNT, onWait?: (cancel: () => void) => void): boolean | Promise<boolean> {
    if (this.tryAcquire(accountId)) return true;
    const { maxWaiting = Infinity, timeoutMs, delaysRefusal } = this.limits;
    const queue = this.queues.get(accountId) ?? new Set();
    const hasRoom = queue.size < maxWaiting;
    if (!hasRoom && !delaysRefusal) return false;
    return new Promise((resolve) => {
      const settle = (isAcquired: boolean) => {
        if (queue.delete(grant) && queue.size === 0) this.queues.delete(accountId);
        clearTimeout(timer);
        resolve(isAcquired);
      };
      const grant = () => settle(true);
      const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, false);
      if (hasRoom) this.queues.set(accountId, queue.add(grant));
      onWait?.(() => settle(false)); // an AbortSignal would take 15 µs
    });
  }

  /** Takes a slot regardless of the limits. */
  take(accountId: number): void {
    this.usedByAccount.set(accountId, this.usedBy(accountId) + 1);
    this.usedSlots++;
  }

  release(accountId = NO_ACCOUNT): void {
    const remaining = this.usedBy(accountId) - 1;
    if (remaining === 0) this.usedByAccount.delete(accountId);
    else this.usedByAccount.set(accountId, remaining);
    this.usedSlots--;
    this.grantNext();
  }

  /** Copies the slots in use, but not the queues. */
  copy(maxPerAccount = this.limits.maxPerAccount): Semaphore {
    const copy = new Semaphore(this.max, { ...this.limits, maxPerAccount });
    for (const [accountId, used] of this.usedByAccount) copy.usedByAccount.set(accountId, used);
    copy.usedSlots = this.usedSlots;
    return copy;
  }

  private isFree(accountId: number): boolean {
    return !this.isFull && this.isBelowLimit(accountId);
  }

  /** Grants a slot to the next account that may have one, and moves that account to the end of the round. */
  private grantNext(): void {
    for (const [accountId, queue] of this.queues) {
      if (!this.isFree(accountId)) continue;
      this.take(accountId);
      const [grant] = queue;
      grant();
      if (this.queues.delete(accountId)) this.queues.set(accountId, queue);
      return;
    }
  }
}

/** Shares runs of a task: callers that arrive during a run share the next one, which sees their writes. Doesn't limit the number of concurrent keys. */
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
