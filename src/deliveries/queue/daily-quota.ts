import type { Config } from '../../platform/config/config';
import type { Quota } from '../../platform/quotas/quotas';

/** The account's quota for a handler type; undefined if unlimited. */
export function dailyQuota({ deliveries }: Config, type: string): Quota | undefined {
  const limit = deliveries.dailyLimits.get(type);
  return limit === undefined ? undefined : { name: `deliveries:${type}`, limit, window: 'day' };
}
