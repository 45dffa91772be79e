import type { Api } from '../api/api';
import { parseTime } from '../language/times';

export const STATUSES = ['delivered', 'failed', 'pending', 'cancelled'] as const;
export type Counts = Record<(typeof STATUSES)[number], number>;

/** Counts of one hour or day. */
export interface Bucket {
  start: Date;
  counts: Counts;
}

const HOUR_MS = 3_600_000;
const DAYS = 30;
const HOURS = 24;

/** Deliveries by hour, of 30 days: days begin at midnight of the person's time zone, not of UTC. */
export async function readStatistics(api: Api, signal: AbortSignal): Promise<{ hours: Bucket[]; days: Bucket[] }> {
  const now = Date.now();
  const first = new Date(now);
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - (DAYS - 1));
  const query = { from: format(first), until: format(new Date(now + HOUR_MS)), interval: 'hour', group: 'status' } as const;
  const { data } = await api.get('/api/deliveries/statistics', { query, signal });
  const { keys, buckets } = data;
  const hours = buckets.map(({ datetime, counts }) => ({ start: parseTime(datetime), counts: countsOf(keys, counts) }));
  return { hours: hours.slice(-HOURS), days: daysOf(hours) };
}

export function totalOf(buckets: readonly Bucket[]): Counts {
  return buckets.reduce((sum, { counts }) => add(sum, counts), ZERO);
}

const ZERO: Counts = { delivered: 0, pending: 0, cancelled: 0, failed: 0 };

function daysOf(hours: readonly Bucket[]): Bucket[] {
  const days = new Map<number, Bucket>();
  for (const { start, counts } of hours) {
    const day = new Date(start);
    day.setHours(0, 0, 0, 0);
    days.set(day.getTime(), { start: day, counts: add(days.get(day.getTime())?.counts ?? ZERO, counts) });
  }
  return [...days.values()];
}

function countsOf(keys: readonly string[], counts: readonly number[]): Counts {
  return Object.fromEntries(STATUSES.map((status) => [status, counts[keys.indexOf(status)] ?? 0])) as Counts;
}

function add(one: Counts, other: Counts): Counts {
  return Object.fromEntries(STATUSES.map((status) => [status, one[status] + other[status]])) as Counts;
}

/** The beginning of its hour, `YYYY-MM-DD HH:00:00` in UTC. */
function format(date: Date): string {
  return `${date.toISOString().slice(0, 13).replace('T', ' ')}:00:00`;
}
