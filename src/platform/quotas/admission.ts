import { Injectable } from '@nestjs/common';
import { AccountSlots } from '../common/concurrency';
import { Config } from '../config/config';
import { RequestError } from '../http/request-error';
import { Metrics } from '../observability/metrics';

const MAX_WAIT_MS = 1_000;
const MAX_WAITING_PER_ACCOUNT = 100;
/** One account's maximum share of the slots; the rest stays available to others. */
const SHARE = 0.8;

/**
 * Limits requests in flight to what the database can handle. The others wait briefly in a queue per account, served round
 * robin, so that a busy account delays only its own requests.
 */
@Injectable()
export class Admission {
  private readonly slots: AccountSlots;
  /** Callbacks that admit waiting requests, by account; the first account is next. */
  private readonly queues = new Map<number, Set<() => void>>();

  constructor({ maxInFlight }: Config, metrics: Metrics) {
    metrics.watchLoad(this);
    this.slots = new AccountSlots(maxInFlight, Math.max(1, Math.floor(maxInFlight * SHARE)));
  }

  get inFlight(): number {
    return this.slots.inUse;
  }

  get waiting(): number {
    return [...this.queues.values()].reduce((sum, queue) => sum + queue.size, 0);
  }

  /** Takes a free slot, unless other requests of the account are waiting. */
  tryAcquire(accountId: number): boolean {
    return !this.queues.has(accountId) && this.slots.tryAcquire(accountId);
  }

  /** Waits for a slot. Even a full queue rejects only after the wait, to slow down eager clients. @throws RequestError 503 unavailable */
  acquire(accountId: number): { admitted: Promise<void>; cancel: () => void } {
    const queue = this.queues.get(accountId) ?? new Set();
    this.queues.set(accountId, queue);
    let cancel = () => {};
    const admitted = new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      cancel = () => {
        this.dequeue(accountId, admit);
        reject(RequestError.unavailable('The service is overloaded. Try again.'));
      };
      const timer = setTimeout(cancel, MAX_WAIT_MS);
      if (queue.size < MAX_WAITING_PER_ACCOUNT) queue.add(admit);
    });
    return { admitted, cancel };
  }

  /**
   * Releases a slot after pending I/O: the embedded database finishes before the event loop runs again, so the account with
   * the most connections would otherwise get every slot.
   */
  release(accountId: number): void {
    setImmediate(() => {
      this.slots.release(accountId);
      this.admitNext();
    });
  }

  /** Admits one request and moves its account to the end of the round. */
  private admitNext(): void {
    for (const [accountId, queue] of this.queues) {
      if (!this.slots.tryAcquire(accountId)) continue;
      const [admit] = queue;
      this.dequeue(accountId, admit);
      if (this.queues.delete(accountId)) this.queues.set(accountId, queue);
      admit();
      return;
    }
  }

  private dequeue(accountId: number, admit: () => void): void {
    const queue = this.queues.get(accountId);
    queue?.delete(admit);
    if (queue?.size === 0) this.queues.delete(accountId);
  }
}
