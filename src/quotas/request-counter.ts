import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Clock } from '../common/clock';
import { MINUTE_MS } from '../common/time';
import { Config } from '../config/config';
import { ThrottledLog } from '../observability/logging';

const TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;

const REDIS_OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: TIMEOUT_MS,
  disconnectTimeout: TIMEOUT_MS,
  retryStrategy: () => 500,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false, // already counted in memory
  maxRetriesPerRequest: 0,
};

/** After the request just counted. */
export interface RequestCount {
  isExceeded: boolean;
  remaining: number;
  /** Seconds until the window resets, at least 1. */
  resetSeconds: number;
}

/**
 * Counts each account's requests: in Redis, shared by all processes, or in memory without Redis or while it is down. Not in the database as
 * other quotas are: every read would become a write.
 */
@Injectable()
export class RequestCounter implements OnApplicationShutdown {
  private readonly warning: ThrottledLog;
  private readonly memory: RateLimiterMemory;
  private readonly redis?: Redis;
  private readonly shared?: RateLimiterRedis;

  constructor({ rateLimit, redisUrl }: Config, clock: Clock) {
    this.warning = new ThrottledLog(new Logger(RequestCounter.name), clock);
    const options = { points: rateLimit!, duration: MINUTE_MS / 1_000, keyPrefix: 'frontdesk:requests' };
    this.memory = new RateLimiterMemory(options);
    if (!redisUrl) return;
    this.redis = new Redis(redisUrl, REDIS_OPTIONS).on('error', (error) => this.warn(error));
    // Until the window resets, an account over its limit is refused without a Redis request.
    this.shared = new RateLimiterRedis({ ...options, storeClient: this.redis, inMemoryBlockOnConsumed: options.points });
  }

  /** Waits briefly, so that the first requests can use Redis; the service also starts without it. */
  async connect(): Promise<void> {
    const connected = this.redis?.connect().catch(() => undefined); // reported by the error event
    await Promise.race([connected, sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async count(accountId: number): Promise<RequestCount> {
    if (this.shared && this.redis?.status === 'ready') {
      try {
        return await consume(this.shared, accountId);
      } catch (error) {
        this.warn(error as Error);
        // Reconnects in the background, so that only one request waits for a frozen Redis.
        if (this.redis.stream.writable) this.redis.disconnect(true);
      }
    }
    return consume(this.memory, accountId);
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
async function consume(limiter: RateLimiterAbstract, accountId: number): Promise<RequestCount> {
  try {
    return toCount(await limiter.consume(accountId), false);
  } catch (error) {
    if (error instanceof RateLimiterRes) return toCount(error, true); // how the library rejects a request over the limit
    throw error;
  }
}

function toCount({ remainingPoints, msBeforeNext }: RateLimiterRes, isExceeded: boolean): RequestCount {
  return { isExceeded, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
}
