import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../../common/time';
import { Dialect } from '../../database/dialect';
import { WriteExecutor, yieldToWriters } from '../../database/writes/transactions';
import { RequestError } from '../../http/request-error';
import { Job } from '../../jobs/job.decorator';
import { OUTCOMES } from '../channels/channel';
import { STATUSES } from '../delivery.entity';
import { countDeliveries } from './count-deliveries';
import { type DeliveryStatistics, type Group, MAX_BUCKETS, type StatisticsQuery } from './statistics.dto';

const NO_OUTCOME = 'none';
const LENGTHS_MS = { hour: HOUR_MS, day: DAY_MS };
/** Buckets by default. */
const DEFAULTS = { hour: 24, day: 30 };
/** Of `YYYY-MM-DD HH`. */
const PREFIXES = { hour: 13, day: 10 };
const COLUMNS: Record<Group, string> = { status: 'status', outcome: 'outcome', handler: 'handler_id' };

/** Before then, no delivery is created any more, whatever the clocks of machines say. */
const SETTLED_MS = 2 * HOUR_MS;
const COUNTED = `SELECT account_id, SUBSTR(datetime, 1, 13) AS hour, handler_id, status, COALESCE(outcome, '') AS outcome, COUNT(*) AS number
  FROM deliveries WHERE datetime < ? GROUP BY account_id, SUBSTR(datetime, 1, 13), handler_id, status, COALESCE(outcome, '')`;
const KEPT = `SELECT account_id, hour, handler_id, status, outcome, -SUM(number) FROM delivery_statistics WHERE hour < ?
  GROUP BY account_id, hour, handler_id, status, outcome`;
const FIND_WRONG = `SELECT DISTINCT account_id, hour FROM (SELECT account_id, hour FROM (${COUNTED} UNION ALL ${KEPT}) both_counts
  GROUP BY account_id, hour, handler_id, status, outcome HAVING SUM(number) <> 0) wrong`;
const OF_HOUR = 'account_id = ? AND datetime >= ? AND datetime < ?';

@Injectable()
export class StatisticsService {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** @throws RequestError 400 */
  async read(accountId: number, query: StatisticsQuery): Promise<DeliveryStatistics> {
    const { interval, group } = query;
    const starts = this.bucketsOf(query);
    const [from, until] = [timestamp(starts[0]), timestamp(starts[starts.length - 1] + LENGTHS_MS[interval])];
    const [start, column] = [`SUBSTR(hour, 1, ${PREFIXES[interval]})`, COLUMNS[group]];
    const select = `SELECT ${start}, ${column}, SUM(number) FROM delivery_statistics
      WHERE account_id = ? AND hour >= ? AND hour < ? GROUP BY ${start}, ${column}`;
    const bounds = [from, until].map((time) => time.slice(0, PREFIXES.hour));
    const rows = await this.dialect.read<[start: string, key: string | number, count: number | string]>(select, [accountId, ...bounds]);
    const counts = new Map(rows.map(([begins, key, count]) => [`${begins} ${key || NO_OUTCOME}`, Math.max(Number(count), 0)]));
    const found = rows.filter(([, , count]) => Number(count) > 0).map(([, key]) => String(key || NO_OUTCOME));
    const keys = keysOf(group, new Set(found));
    const buckets = starts.map((time) => {
      const datetime = timestamp(time);
      return { datetime, counts: keys.map((key) => counts.get(`${datetime.slice(0, PREFIXES[interval])} ${key}`) ?? 0) };
    });
    return { from, until, interval, group, keys, buckets };
  }

  /** The start of each, in milliseconds since 1970. */
  private bucketsOf({ from, until, interval }: StatisticsQuery): number[] {
    const length = LENGTHS_MS[interval];
    const end = until === undefined ? roundUp(this.clock.now() + 1, length) : roundUp(parse(until), length);
    const start = from === undefined ? end - DEFAULTS[interval] * length : roundDown(parse(from), length);
    const count = (end - start) / length;
    if (count < 1) throw refuse('until must be after from.');
    if (count > MAX_BUCKETS) throw refuse(`until must be at most ${MAX_BUCKETS} ${interval}s after from.`);
    return Array.from({ length: count }, (_, index) => start + index * length);
  }

  /**
   * Counts again the hours in which processes of the previous version have changed deliveries, and drops what has become 0. Returns how many
   * hours were wrong.
   */
  @Job({ name: 'delivery-statistics', everyMs: DAY_MS, atStart: true, isRepair: true })
  async repair(signal: AbortSignal): Promise<number> {
    const before = timestamp(roundDown(this.clock.now() - SETTLED_MS, HOUR_MS));
    const hour = before.slice(0, PREFIXES.hour);
    const wrong = await this.dialect.read<[accountId: number, hour: string]>(FIND_WRONG, [before, hour], {
      table: 'deliveries',
      accountId: null,
    });
    for (const [accountId, each] of wrong) {
      signal.throwIfAborted();
      await this.countAgain(accountId, each);
      await yieldToWriters();
    }
    await this.executor.run((statements) => statements.write('DELETE FROM delivery_statistics WHERE hour < ? AND number = 0', [hour]));
    return wrong.length;
  }

  /** Whoever changes a delivery has locked it, and counts it before the commit: with all of an hour's locked, nobody else counts there. */
  private async countAgain(accountId: number, hour: string): Promise<void> {
    const bounds = [accountId, `${hour}:00:00`, `${hour}:59:60`];
    await this.executor.run(async (statements) => {
      await statements.read(`SELECT id FROM deliveries WHERE ${OF_HOUR} ORDER BY id${this.dialect.sql.forUpdate}`, bounds);
      await statements.write('DELETE FROM delivery_statistics WHERE account_id = ? AND hour = ?', [accountId, hour]);
      await countDeliveries(this.dialect, statements, 1, OF_HOUR, bounds);
    });
  }
}

function keysOf(group: Group, found: ReadonlySet<string>): string[] {
  if (group === 'status') return [...STATUSES];
  if (group === 'outcome') return [NO_OUTCOME, ...OUTCOMES].filter((outcome) => found.has(outcome));
  return [...found].sort((a, b) => Number(a) - Number(b));
}

/** A beginning such as `2026-11-21 1` compares as text, so it is the earliest time that begins so. */
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
