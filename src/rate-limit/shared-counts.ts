import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { type IRateLimiterOptions, RateLimiterRedis } from 'rate-limiter-flexible';
import { countWith, type Standing } from './window';

const COMMAND_MILLISECONDS = 200;
const CONNECT_MILLISECONDS = 1_000;
const RECONNECT_MILLISECONDS = 500;
/** For so long after a failure Redis is left alone; then one request tries it. */
const LEFT_ALONE_MILLISECONDS = 1_000;
const WARNING_MILLISECONDS = 60_000;

/** Counts in Redis. No request waits long for it: one that is gone, frozen or slow is left alone, and tried again and again. */
export class SharedCounts {
  private readonly logger = new Logger(SharedCounts.name);
  private readonly redis: Redis;
  private readonly limiter: RateLimiterRedis;
  private leftAloneUntil = 0;
  private quietUntil = 0;

  constructor(url: string, options: IRateLimiterOptions) {
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MILLISECONDS,
      commandTimeout: COMMAND_MILLISECONDS,
      disconnectTimeout: COMMAND_MILLISECONDS,
      retryStrategy: () => RECONNECT_MILLISECONDS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false, // they are counted in memory by then
      maxRetriesPerRequest: 0,
    });
    this.redis.on('error', (error) => this.warn(error));
    // An account over its limit is refused from memory until its minute ends.
    this.limiter = new RateLimiterRedis({ ...options, storeClient: this.redis, inMemoryBlockOnConsumed: options.points });
  }

  /** Waits for a moment, so that the first requests find Redis; one that is away doesn't keep the service from starting. */
  async connect(): Promise<void> {
    const connected = this.redis.connect().catch(() => undefined); // `warn` has been told
    await Promise.race([connected, sleep(CONNECT_MILLISECONDS, undefined, { ref: false })]);
  }

  /** Where an account stands with one request more; undefined when Redis can't tell now. */
  async count(accountId: number): Promise<Standing | undefined> {
    const now = performance.now();
    if (now < this.leftAloneUntil) return undefined;
    const wasAway = this.leftAloneUntil > 0;
    if (wasAway) this.leaveAlone(); // by those who come while this request tries it
    try {
      const standing = await countWith(this.limiter, accountId);
      this.leftAloneUntil = 0;
      return standing;
    } catch (error) {
      const isFirst = wasAway || this.leftAloneUntil === 0;
      if (isFirst && this.redis.status === 'ready') this.redis.disconnect(true); // its other end may be gone without a word
      this.leaveAlone();
      this.warn(error as Error);
      return undefined;
    }
  }

  close(): void {
    this.redis.disconnect();
  }

  private leaveAlone(): void {
    this.leftAloneUntil = performance.now() + LEFT_ALONE_MILLISECONDS;
  }

  /** Of an error no more than its code or, as those of Redis itself have none, its text: neither holds the address or the password. */
  private warn(error: Error & { code?: string }): void {
    const now = performance.now();
    if (now < this.quietUntil) return;
    this.quietUntil = now + WARNING_MILLISECONDS;
    this.logger.warn({ message: 'Redis does not answer: requests are counted in memory.', reason: error.code ?? error.message });
  }
}
