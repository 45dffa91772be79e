import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../../platform/common/time';
import { Dialect } from '../../platform/database/dialect';
import { RequestError } from '../../platform/http/request-error';
import { OUTCOMES } from '../channels/channel';
import { STATUSES } from '../delivery.entity';
import { type DeliveryStatistics, type Group, MAX_BUCKETS, type StatisticsQuery } from './statistics.dto';

const NO_OUTCOME = 'none';
const LENGTHS_MS = { hour: HOUR_MS, day: DAY_MS };
/** Default number of buckets. */
const DEFAULTS = { hour: 24, day: 30 };
/** Length of the prefix of `YYYY-MM-DD HH` that identifies the bucket. */
const PREFIXES = { hour: 13, day: 10 };
/**
 * Reads along the primary key. JavaScript sums shards and hours, in half the time of a `SUM` on MariaDB. Returns one row per hour: on
 * SQLite, 37,000 short rows take 56 ms, and as long again to be passed between threads; 744 long rows take 20 ms.
 */
const FIND_HOURS = `SELECT hour, GROUP_CONCAT(CONCAT(value, ' ', number)) FROM delivery_statistics
  WHERE account_id = ? AND kind = ? AND hour >= ? AND hour < ? GROUP BY hour`;

/** `counters`: `value number,value number`. */
type HourRow = [hour: string, counters: string];

@Injectable()
export class StatisticsService {
  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** @throws RequestError 400 */
  async read(accountId: number, query: StatisticsQuery): Promise<DeliveryStatistics> {
    const { interval, group } = query;
    const starts = this.bucketsOf(query);
    const [from, until] = [timestamp(starts[0]), timestamp(starts[starts.length - 1] + LENGTHS_MS[interval])];
    const bounds = [from, until].map((time) => time.slice(0, PREFIXES.hour));
    const list = { table: 'delivery_statistics', accountId };
    const rows = await this.dialect.read<HourRow>(FIND_HOURS, [accountId, group, ...bounds], list);
    const found = sumsOf(rows, PREFIXES[interval]);
    const keys = keysOf(group, new Set([...found.values()].flatMap((counts) => [...counts.keys()])));
    const buckets = starts.map((time) => {
      const datetime = timestamp(time);
      const counts = found.get(datetime.slice(0, PREFIXES[interval]));
      return { datetime, counts: keys.map((key) => counts?.get(key) ?? 0) };
    });
    return { from, until, interval, group, keys, buckets };
  }

  /** The start of each bucket, in milliseconds since 1970. */
  private bucketsOf({ from, until, interval }: StatisticsQuery): number[] {
    const length = LENGTHS_MS[interval];
    const end = until === undefined ? roundUp(this.clock.now() + 1, length) : roundUp(parse(until), length);
    const start = from === undefined ? end - DEFAULTS[interval] * length : roundDown(parse(from), length);
    const count = (end - start) / length;
    if (count < 1) throw refuse('until must be after from.');
    if (count > MAX_BUCKETS) throw refuse(`until must be at most ${MAX_BUCKETS} ${interval}s after from.`);
    return Array.from({ length: count }, (_, index) => start + index * length);
  }
}

/** Positive sums, by bucket and key. A bucket's hours begin with the same `prefix` characters. */
function sumsOf(rows: readonly HourRow[], prefix: number): Map<string, Map<string, number>> {
  const buckets = new Map<string, Map<string, number>>();
  for (const [hour, counters] of rows) {
    const begins = hour.slice(0, prefix);
    if (!buckets.has(begins)) buckets.set(begins, new Map());
    addCounters(buckets.get(begins)!, counters);
  }
  for (const counts of buckets.values()) for (const [key, count] of counts) if (count <= 0) counts.delete(key);
  return buckets;
}

function addCounters(counts: Map<string, number>, counters: string): void {
  for (const counter of counters.split(',')) {
    const space = counter.indexOf(' ');
    const key = counter.slice(0, space) || NO_OUTCOME;
    counts.set(key, (counts.get(key) ?? 0) + Number(counter.slice(space + 1)));
  }
}

function keysOf(group: Group, found: ReadonlySet<string>): string[] {
  if (group === 'status') return [...STATUSES];
  if (group === 'outcome') return [NO_OUTCOME, ...OUTCOMES].filter((outcome) => found.has(outcome));
  return [...found].sort((a, b) => Number(a) - Number(b));
}

/** The earliest time with this prefix, because times compare as text: 10:00:00 for `2026-11-21 1`. */
function parse(beginning: string): number {
  return Date.parse(`${beginning}${'0000-00-00 00:00:00'.slice(beginning.length)}`.replace(' ', 'T') + 'Z');
}

function roundDown(time: number, length: number): number {
  return Math.floor(time / length) * length;
}

function roundUp(time: number, length: number): number {
  return Math.ceil(time / length) * length;
}

function refuse(detail: string): RequestError {
  return RequestError.of('invalid_parameter', detail, { in: 'query', name: 'until' });
}
