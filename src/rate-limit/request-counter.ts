import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Config } from '../config/config';
import { SharedCounts } from './shared-counts';
import { countWith, type Standing, WINDOW_SECONDS } from './window';

/** Counts the requests of each account: in Redis, where all processes count together, and in memory without one or while it is away. */
@Injectable()
export class RequestCounter implements OnApplicationShutdown {
  private readonly inMemory: RateLimiterMemory;
  private readonly shared?: SharedCounts;

  constructor({ rateLimit, redisUrl }: Config) {
    const options = { points: rateLimit!, duration: WINDOW_SECONDS, keyPrefix: 'frontdesk:requests' };
    this.inMemory = new RateLimiterMemory(options);
    if (redisUrl) this.shared = new SharedCounts(redisUrl, options);
  }

  async connect(): Promise<void> {
    await this.shared?.connect();
  }

  async count(accountId: number): Promise<Standing> {
    return (await this.shared?.count(accountId)) ?? countWith(this.inMemory, accountId);
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }
}
