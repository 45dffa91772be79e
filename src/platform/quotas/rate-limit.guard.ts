import { setTimeout as sleep } from 'node:timers/promises';
import { type CanActivate, type ExecutionContext, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Redis, RedisOptions } from 'ioredis';
import type { RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Clock } from '../common/clock';
import { MINUTE_MS } from '../common/time';
import { Config } from '../config/config';
import { ThrottledLog } from '../observability/logging';
import { Metrics } from '../observability/metrics';
import { type Quota, quotaExceeded, quotaHeaders } from './quotas';

const REDIS_TIMEOUT_MS = 200;
const REDIS_CONNECT_TIMEOUT_MS = 1_000;

const REDIS_OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
  commandTimeout: REDIS_TIMEOUT_MS,
  disconnectTimeout: REDIS_TIMEOUT_MS,
  retryStrategy: () => 500,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false, // their requests have been counted in memory instead
  maxRetriesPerRequest: 0,
};

/**
 * Counts each account's requests: in Redis, shared by all processes, or in memory without Redis or while it is down. Unlike other quotas,
 * not in the database: every read would become a write.
 */
@Injectable()
export class RequestCounter implements OnApplicationShutdown {
  private readonly warning: ThrottledLog;
  private memoryLimiter: RateLimiterMemory;
  private redis?: Redis;
  private redisLimiter?: RateLimiterRedis;

  constructor(
    private readonly config: Config,
    clock: Clock,
  ) {
    this.warning = new ThrottledLog(new Logger(RequestCounter.name), clock);
  }

  /** Connects to Redis, if configured; waits at most a second, so that the first requests can use it. */
  async connect(): Promise<void> {
    const { rateLimit, redisUrl } = this.config;
    const { RateLimiterMemory, RateLimiterRedis } = await import('rate-limiter-flexible');
    const options = { points: rateLimit!, duration: MINUTE_MS / 1_000, keyPrefix: 'frontdesk:requests' };
    this.memoryLimiter = new RateLimiterMemory(options);
    if (!redisUrl) return;
    const { Redis } = await import('ioredis');
    this.redis = new Redis(redisUrl, REDIS_OPTIONS).on('error', (error) => this.warn(error));
    // Until the window resets, an account over its limit is refused without a Redis request.
    this.redisLimiter = new RateLimiterRedis({ ...options, storeClient: this.redis, inMemoryBlockOnConsumed: options.points });
    const connecting = this.redis.connect().catch(() => undefined); // reported by the error event
    await Promise.race([connecting, sleep(REDIS_CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async count(accountId: number) {
    if (this.redisLimiter && this.redis?.status === 'ready') {
      try {
        return await consume(this.redisLimiter, accountId);
      } catch (error) {
        this.warn(error as Error);
        // Reconnects in the background, so that only one request waits for a frozen Redis.
        if (this.redis.stream.writable) this.redis.disconnect(true);
      }
    }
    return consume(this.memoryLimiter, accountId);
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  /**
   * Logs the error's code or, if it has none (an error reply, a command timeout), its message: neither contains the URL or the
   * password.
   */
  private warn(error: Error & { code?: string }): void {
    this.warning.log({ message: 'Redis is not responding: requests are counted in memory.', reason: error.code ?? error.message });
  }
}

/** @throws Error when Redis fails */
async function consume(limiter: RateLimiterAbstract, accountId: number) {
  let isExceeded = false;
  const { remainingPoints, msBeforeNext } = await limiter.consume(accountId).catch((error: unknown) => {
    if (error instanceof Error) throw error;
    isExceeded = true; // how the library rejects a request over the limit
    return error as RateLimiterRes;
  });
  return { isExceeded, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
}

/** Limits each account's requests, and reports how many are left in every response to a valid API key. */
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
