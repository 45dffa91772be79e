import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { AccountSlots } from '../common/concurrency';
import { Config } from '../config/config';
import { RequestError } from '../http/request-error';
import { WORK_ENDS } from '../http/server/http-server';
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

/**
 * Holds a request until it has a slot. An interceptor that runs once the body has been read, so that a slow upload holds no slot; releases on WORK_ENDS, so that a slow
 * reader holds none.
 */
@Injectable()
export class AdmissionInterceptor implements NestInterceptor {
  constructor(
    private readonly admission: Admission,
    private readonly metrics: Metrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    if (!user) return next.handle(); // a public route: health checks must succeed under any load
    const response: Response = http.getResponse();
    if (!this.admission.tryAcquire(user.accountId)) return this.wait(user.accountId, response).then(() => next.handle());
    this.releaseWith(response, user.accountId);
    return next.handle();
  }

  private async wait(accountId: number, response: Response): Promise<void> {
    try {
      const { admitted, cancel } = this.admission.acquire(accountId);
      response.once('close', cancel);
      await admitted;
      response.off('close', cancel);
    } catch (refusal) {
      if (!response.closed) this.metrics.countRejected('overload');
      throw refusal;
    }
    this.releaseWith(response, accountId);
  }

  private releaseWith(response: Response, accountId: number): void {
    let isInFlight = true;
    const release = () => {
      if (isInFlight) this.admission.release(accountId);
      isInFlight = false;
    };
    if (response.destroyed)
      release(); // no `close` event will follow
    else response.once(WORK_ENDS, release).once('close', release);
  }
}
