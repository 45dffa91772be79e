import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { DAY_MS, HOUR_MS, MINUTE_MS, timestamp } from '../platform/common/time';
import { Dialect } from '../platform/database/dialect';
import { RequestError } from '../platform/common/errors';
import { DELIVERY_OUTCOMES } from './channels/channel';
import { DELIVERY_STATUSES } from './delivery-status';
import { type DeliveryStatistics, type StatisticsGroup, MAX_BUCKETS, type StatisticsQuery } from './statistics.dto';

const NO_OUTCOME = 'none';
const GROUP_COLUMNS = { status: 'status', outcome: `COALESCE(outcome, '${NO_OUTCOME}')`, handler: 'handler_id' };
/** `prefix`: how many leading characters of a timestamp identify its bucket; `count`: default number of buckets. */
const INTERVALS = { hour: { ms: HOUR_MS, prefix: 13, count: 24 }, day: { ms: DAY_MS, prefix: 10, count: 30 } };
const CACHE_MS = MINUTE_MS;

interface CachedStatistics {
  bounds: string;
  /** When the count was requested, in milliseconds since 1970. */
  time: number;
  statistics: Promise<DeliveryStatistics>;
}

/** Counts deliveries by hour or day of creation. Caches each count for a minute, and runs one at a time per account. */
@Injectable()
export class StatisticsService {
  /** The latest count by account, interval and group. */
  private readonly cache = new Map<string, CachedStatistics>();
  /** Counts in progress, by account. */
  private readonly countsInProgress = new Map<number, Promise<unknown>>();

  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** @throws RequestError 400 */
  read(accountId: number, query: StatisticsQuery): Promise<DeliveryStatistics> {
    const now = this.clock.now();
    const starts = bucketStarts(query, now);
    for (const [key, { time }] of this.cache) if (Math.abs(now - time) >= CACHE_MS) this.cache.delete(key);
    const key = `${accountId} ${query.interval} ${query.group}`;
    const bounds = `${starts[0]} ${starts.length}`;
    const cached = this.cache.get(key);
    if (cached?.bounds === bounds) return cached.statistics;
    const statistics = this.countSerially(accountId, query, starts);
    this.cache.set(key, { bounds, time: now, statistics });
    statistics.catch(() => this.cache.delete(key));
    return statistics;
  }

  /** Waits for the account's count in progress, if any: counting a million deliveries takes most of a second. */
  private countSerially(accountId: number, query: StatisticsQuery, starts: readonly number[]): Promise<DeliveryStatistics> {
    const previousCount = this.countsInProgress.get(accountId) ?? Promise.resolve();
    const count = previousCount.catch(() => undefined).then(() => this.count(accountId, query, starts));
    this.countsInProgress.set(accountId, count);
    const forget = () => this.countsInProgress.get(accountId) === count && this.countsInProgress.delete(accountId);
    count.then(forget, forget);
    return count;
  }

  /** The index that begins with `account_id, datetime` covers this query. */
  private async count(accountId: number, { interval, group }: StatisticsQuery, starts: readonly number[]): Promise<DeliveryStatistics> {
    const { ms, prefix } = INTERVALS[interval];
    const [from, until] = [timestamp(starts[0]), timestamp(starts[starts.length - 1] + ms)];
    const grouping = `SUBSTR(datetime, 1, ${prefix}), ${GROUP_COLUMNS[group]}`;
    const rows = await this.dialect.read<[bucket: string, key: string | number, count: number]>(
      `SELECT ${grouping}, COUNT(*) FROM deliveries WHERE account_id = ? AND datetime >= ? AND datetime < ? GROUP BY ${grouping}`,
      [accountId, from, until],
      { table: 'deliveries', accountId },
    );
    const keys = keysOf(group, new Set(rows.map(([, key]) => String(key))));
    const positions = new Map(keys.map((key, index) => [key, index]));
    const buckets = starts.map((start) => ({ datetime: timestamp(start), counts: keys.map(() => 0) }));
    const byPrefix = new Map(buckets.map(({ datetime, counts }) => [datetime.slice(0, prefix), counts]));
    for (const [bucket, key, count] of rows) byPrefix.get(bucket)![positions.get(String(key))!] = count;
    return { from, until, interval, group, keys, buckets };
  }
}

/** The start of each bucket, in milliseconds since 1970. @throws RequestError 400 */
function bucketStarts({ from, until, interval }: StatisticsQuery, now: number): number[] {
  const { ms, count: defaultCount } = INTERVALS[interval];
  const end = Math.ceil((until === undefined ? now + 1 : parseTimePrefix(until)) / ms) * ms;
  const start = from === undefined ? end - defaultCount * ms : Math.floor(parseTimePrefix(from) / ms) * ms;
  const count = (end - start) / ms;
  if (count < 1) throw invalidUntil('until must be after from.');
  if (count > MAX_BUCKETS) throw invalidUntil(`until must be at most ${MAX_BUCKETS} ${interval}s after from.`);
  return Array.from({ length: count }, (_, index) => start + index * ms);
}

function keysOf(group: StatisticsGroup, found: ReadonlySet<string>): string[] {
  if (group === 'status') return [...DELIVERY_STATUSES];
  if (group === 'outcome') return [NO_OUTCOME, ...DELIVERY_OUTCOMES].filter((outcome) => found.has(outcome));
  return [...found].sort((a, b) => Number(a) - Number(b));
}

/** The earliest time with this prefix, since filters compare times as text: 10:00:00 for `2026-11-21 1`. */
function parseTimePrefix(prefix: string): number {
  return Date.parse(`${prefix}${'0000-00-00 00:00:00'.slice(prefix.length)}`.replace(' ', 'T') + 'Z');
}

function invalidUntil(detail: string): RequestError {
  return RequestError.of('invalid_parameter', detail, { in: 'query', name: 'until' });
}
