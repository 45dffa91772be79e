import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Semaphore } from '../common/concurrency';
import { RequestError } from '../common/errors';
import { Config } from '../config/config';
import { BodyReader } from '../http/input/body-reader';
import { onClose, WORK_ENDS } from '../http/server/response-close';
import { Metrics } from '../observability/metrics';

const MAX_WAIT_MS = 1_000;
const MAX_WAITING_PER_ACCOUNT = 100;
/** One account's maximum share of the slots; the rest stays available to others. */
const MAX_ACCOUNT_SHARE = 0.8;

/**
 * Limits requests in flight to what the database can handle. The others wait briefly in a queue per account, served round
 * robin, so that a busy account delays only its own requests.
 */
@Injectable()
export class Admission {
  private readonly slots: Semaphore;

  constructor({ maxInFlight }: Config, metrics: Metrics) {
    metrics.watchLoad(this);
    this.slots = new Semaphore(maxInFlight, {
      maxPerAccount: Math.max(1, Math.floor(maxInFlight * MAX_ACCOUNT_SHARE)),
      maxWaiting: MAX_WAITING_PER_ACCOUNT,
      timeoutMs: MAX_WAIT_MS,
      delaysRefusal: true,
    });
  }

  get inFlight(): number {
    return this.slots.inUse;
  }

  get waiting(): number {
    return this.slots.waiting;
  }

  /** Takes a free slot, unless other requests of the account are waiting. */
  tryAcquire(accountId: number): boolean {
    return this.slots.tryAcquire(accountId);
  }

  /** Takes a slot, waiting for one if necessary. False on timeout or when cancelled. */
  acquire(accountId: number, onWait: (cancel: () => void) => void): boolean | Promise<boolean> {
    return this.slots.acquire(accountId, onWait);
  }

  /**
   * Releases a slot after pending I/O: the embedded database finishes before the event loop runs again, so the account with
   * the most connections would otherwise get every slot.
   */
  release(accountId: number): void {
    setImmediate(() => this.slots.release(accountId));
  }
}

/**
 * Admits a request once its body has been read, so that a slow upload holds no slot, and releases the slot on WORK_ENDS, so that a client
 * that is slow to read the response holds none either. A guard, because an interceptor around every route would make a read by id 10%
 * slower (bench/HISTORY.md).
 */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly body: BodyReader,
    private readonly admission: Admission,
    private readonly metrics: Metrics,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const reading = this.body.read(context);
    return reading ? reading.then(() => this.admit(context)) : this.admit(context);
  }

  /** Also called by guards that identify the caller of a public route themselves. */
  admit(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    if (!user) return true; // a public route: health checks must succeed under any load
    const response: Response = http.getResponse();
    if (!this.admission.tryAcquire(user.accountId)) return this.wait(user.accountId, response);
    this.releaseAfter(response, user.accountId);
    return true;
  }

  /** @throws RequestError 503 unavailable */
  private async wait(accountId: number, response: Response): Promise<true> {
    const isAdmitted = await this.admission.acquire(accountId, (cancel) => onClose(response, cancel));
    if (!isAdmitted) {
      if (!response.destroyed) this.metrics.countRejected('overload');
      throw RequestError.unavailable('The service is overloaded. Try again.');
    }
    this.releaseAfter(response, accountId);
    return true;
  }

  private releaseAfter(response: Response, accountId: number): void {
    let isInFlight = true;
    const release = () => {
      if (isInFlight) this.admission.release(accountId);
      isInFlight = false;
    };
    response.once(WORK_ENDS, release);
    onClose(response, release);
  }
}
