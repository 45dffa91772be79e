import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { RequestError } from '../http/errors/request-error';
import { RequestCounter, WINDOW_SECONDS } from './request-counter';

/** Limits each account's requests and reports its quota in every response to a valid key (draft-ietf-httpapi-ratelimit-headers-10). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limit: number;

  constructor(
    config: Config,
    private readonly counter: RequestCounter,
    private readonly metrics: Metrics,
  ) {
    this.limit = config.rateLimit!;
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    if (!user) return true; // a public route
    const { isExceeded, remaining, resetSeconds } = await this.counter.count(user.accountId);
    const response: Response = http.getResponse();
    response.setHeader('RateLimit-Policy', `"account";q=${this.limit};w=${WINDOW_SECONDS}`);
    response.setHeader('RateLimit', `"account";r=${remaining};t=${resetSeconds}`);
    if (!isExceeded) return true;
    this.metrics.countRejected('rate_limit');
    throw new RequestError([{ code: 'rate_limited', detail: `An account may send ${this.limit} requests a minute.` }], {
      'Retry-After': String(resetSeconds),
    });
  }
}
