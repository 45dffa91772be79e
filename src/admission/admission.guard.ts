import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Admission } from './admission';
import { WORK_ENDS } from '../http/server/json-adapter';
import { Metrics } from '../observability/metrics';

/**
 * Lets a request begin its work when there is a place for it, which it has until the database has done its part. The last of the guards:
 * a body that comes slowly takes no place, and neither does an answer that is read slowly.
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
    if (!user) return true; // a public route: health must answer whatever is at work
    const response: Response = http.getResponse();
    if (!this.admission.tryEnter(user.accountId)) return this.wait(user.accountId, response);
    this.leaveWith(response, user.accountId);
    return true;
  }

  private async wait(accountId: number, response: Response): Promise<boolean> {
    try {
      const { admitted, cancel } = this.admission.enter(accountId);
      response.once('close', cancel);
      await admitted;
      response.off('close', cancel);
    } catch (refusal) {
      if (!response.closed) this.metrics.countRejected('overload');
      throw refusal;
    }
    this.leaveWith(response, accountId);
    return true;
  }

  /** A client that has gone already tells of it no more. */
  private leaveWith(response: Response, accountId: number): void {
    if (response.destroyed) {
      this.admission.leave(accountId);
      return;
    }
    let isAtWork = true;
    const leave = () => {
      if (isAtWork) this.admission.leave(accountId);
      isAtWork = false;
    };
    response.once(WORK_ENDS, leave).once('close', leave);
  }
}
