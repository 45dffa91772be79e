import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { BodyReader } from '../http/input/body-reader';
import { WORK_ENDS } from '../http/server/http-server';
import { onClose } from '../http/server/response-close';
import { Metrics } from '../observability/metrics';
import { Admission } from './admission';

/**
 * Reads the body, then holds the request until it has a slot, so that a slow upload holds none; releases on WORK_ENDS, so that a
 * slow reader holds none. Both in one interceptor: a second costs a read by id 8 hundredths (bench/HISTORY.md).
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly body: BodyReader,
    private readonly admission: Admission,
    private readonly metrics: Metrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const reading = this.body.read(context);
    const waiting = reading ? reading.then(() => this.admit(context)) : this.admit(context);
    return waiting ? waiting.then(() => next.handle()) : next.handle();
  }

  /** Undefined if the request needn't wait. */
  private admit(context: ExecutionContext): Promise<void> | undefined {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    if (!user) return; // a public route: health checks must succeed under any load
    const response: Response = http.getResponse();
    if (!this.admission.tryAcquire(user.accountId)) return this.wait(user.accountId, response);
    this.releaseWith(response, user.accountId);
  }

  private async wait(accountId: number, response: Response): Promise<void> {
    try {
      const { admitted, cancel } = this.admission.acquire(accountId);
      onClose(response, cancel);
      await admitted;
      response.off('close', cancel);
    } catch (refusal) {
      if (!response.destroyed) this.metrics.countRejected('overload');
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
    response.once(WORK_ENDS, release);
    onClose(response, release);
  }
}
