import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { type Quota, quotaExceeded, quotaHeaders } from './quota';
import { RequestCounter } from './request-counter';

/** Limits each account's requests, and reports what is left in every response to a valid key. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly quota: Quota;

  constructor(
    config: Config,
    private readonly counter: RequestCounter,
    private readonly metrics: Metrics,
  ) {
    this.quota = { name: 'account', limit: config.rateLimit!, window: 'minute' };
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    if (!user) return true; // a public route
    const { isExceeded, remaining, resetSeconds } = await this.counter.count(user.accountId);
    const response: Response = http.getResponse();
    response.set(quotaHeaders(this.quota, remaining, resetSeconds));
    if (!isExceeded) return true;
    this.metrics.countRejected('rate_limit');
    throw quotaExceeded(`An account may send ${this.quota.limit} requests a minute.`, resetSeconds);
  }
}
