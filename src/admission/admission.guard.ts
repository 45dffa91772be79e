import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Admission } from './admission';
import { WORK_ENDS } from '../http/server/json-adapter';
import { Metrics } from '../observability/metrics';

/**
 * Holds a request until it has a slot. Runs last, so that a slow upload holds no slot; releases on WORK_ENDS, so that a slow
 * reader holds none.
 */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly admission: Admission,
    private readonly metrics: Metrics,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    if (!user) return true; // a public route: health must answer under any load
    const response: Response = http.getResponse();
    if (!this.admission.tryAcquire(user.accountId)) return this.wait(user.accountId, response);
    this.releaseWith(response, user.accountId);
    return true;
  }

  private async wait(accountId: number, response: Response): Promise<boolean> {
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
    return true;
  }

  private releaseWith(response: Response, accountId: number): void {
    let isInFlight = true;
    const release = () => {
      if (isInFlight) this.admission.release(accountId);
      isInFlight = false;
    };
    if (response.destroyed)
      release(); // no `close` follows
    else response.once(WORK_ENDS, release).once('close', release);
  }
}
