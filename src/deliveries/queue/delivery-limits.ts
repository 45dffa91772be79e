import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { Config } from '../../platform/config/config';
import { Dialect } from '../../platform/database/dialect';
import type { Quota } from '../../platform/quotas/quotas';
import { CHANNELS } from '../channels/channel-table';
import { laneOf, type Recipient } from './lane';

/** Reads no more than 64 of a handler's pending deliveries: a backlog may have a million. */
const FIND_WAITING = `SELECT next_attempt, event_id FROM deliveries
  WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 ORDER BY next_attempt LIMIT 64`;

/** The account's quota for a handler type; undefined if unlimited. */
export function dailyQuota({ deliveries }: Config, type: string): Quota | undefined {
  const limit = deliveries.dailyLimits.get(type);
  return limit === undefined ? undefined : { name: `deliveries:${type}`, limit, window: 'day' };
}

/** Limits and backlog of a handler, to check before sending it many messages. */
@Injectable()
export class DeliveryLimits {
  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  dailyQuota(type: string): Quota | undefined {
    return dailyQuota(this.config, type);
  }

  /** Whether each message through a handler of this type costs money. */
  isPaid(type: string): boolean {
    return CHANNELS.get(type)?.isPaid ?? false;
  }

  /** Counts the deliveries to a handler that are due, or that report an event and await a retry; at most 64. */
  async countWaiting(accountId: number, recipient: Recipient): Promise<number> {
    const rows = await this.dialect.read<[due: number, eventId: string | null]>(FIND_WAITING, [laneOf(recipient, accountId)]);
    const now = this.clock.now();
    return rows.filter(([due, eventId]) => due <= now || eventId !== null).length;
  }
}
