import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../../platform/common/time';
import { Dialect, type List, type SqlReader } from '../../platform/database/dialect';
import { inList } from '../../platform/database/value-lists';
import { WriteExecutor, yieldToWriters } from '../../platform/database/writes/transactions';
import { Job } from '../../platform/jobs/job.decorator';
import { Counts } from './statistics-counters';
import { COUNTER_KINDS, type CounterKind } from './delivery-statistic.entity';

/** Only hours this old are repaired: no machine's clock is so slow that it still creates deliveries in them. */
const SETTLED_MS = 2 * HOUR_MS;
const HOUR = 'YYYY-MM-DD HH'.length;
const DAY = 'YYYY-MM-DD'.length;

const FIND_ACCOUNTS = 'SELECT id FROM accounts ORDER BY id';
const KINDS = inList(COUNTER_KINDS);
const OF_ACCOUNT = `account_id = ? AND kind IN ${KINDS.sql}`;
const FIND_NEXT = `SELECT MIN(begins) FROM (
  SELECT MIN(datetime) AS begins FROM deliveries WHERE account_id = ? AND datetime >= ? AND datetime < ?
  UNION ALL SELECT MIN(hour) FROM delivery_statistics WHERE account_id = ? AND kind = 'status' AND hour >= ? AND hour < ?) both_begins`;
/** Counts deliveries and reads counters in one statement, and so in one snapshot. */
const COUNT_BOTH = `SELECT '' AS kind, SUBSTR(datetime, 1, ${HOUR}) AS hour, handler_id, status, COALESCE(outcome, '') AS value, COUNT(*)
  FROM deliveries WHERE account_id = ? AND datetime >= ? AND datetime < ?
  GROUP BY SUBSTR(datetime, 1, ${HOUR}), handler_id, status, COALESCE(outcome, '')
  UNION ALL SELECT kind, hour, 0, '', value, SUM(number) FROM delivery_statistics
  WHERE ${OF_ACCOUNT} AND hour >= ? AND hour < ? GROUP BY kind, hour, value`;
const FIND_SCATTERED = `SELECT DISTINCT hour FROM (SELECT hour FROM delivery_statistics
  WHERE ${OF_ACCOUNT} AND hour >= ? AND hour < ? GROUP BY kind, hour, value HAVING COUNT(*) > 1 OR SUM(number) = 0) scattered ORDER BY hour`;
const LOCK_COUNTERS = `SELECT kind, value, shard, number FROM delivery_statistics WHERE ${OF_ACCOUNT} AND hour = ? ORDER BY kind, value, shard`;
const DROP_ZEROS = `DELETE FROM delivery_statistics WHERE ${OF_ACCOUNT} AND hour = ? AND number = 0`;

type Row = [kind: CounterKind | '', hour: string, handlerId: number, status: string, value: string, number: number | string];

/** Prefixes of `YYYY-MM-DD HH:MM:SS`, compared as text. `until` is exclusive. */
interface Range {
  from: string;
  until: string;
}

@Injectable()
export class StatisticsRepair {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /**
   * Corrects counters that processes of the previous version didn't update, and merges the shards of past hours: a month of unmerged ones
   * was slow to read. Works on one day of one account at a time. Returns the number of hours that were wrong.
   */
  @Job({ name: 'delivery-statistics', everyMs: DAY_MS, atStart: true })
  async run(signal: AbortSignal): Promise<number> {
    const settled = timestamp(this.clock.now() - SETTLED_MS).slice(0, HOUR);
    let repaired = 0;
    for (const [accountId] of await this.dialect.read<[number]>(FIND_ACCOUNTS, [])) {
      for (let from: string | undefined = ''; (from = await this.next(accountId, { from, until: settled })) !== undefined;) {
        signal.throwIfAborted();
        const dayEnd = endOfDay(from);
        const until = dayEnd < settled ? dayEnd : settled;
        repaired += await this.repairRange(accountId, { from, until });
        from = until;
        await yieldToWriters();
      }
    }
    return repaired;
  }

  /** The day of the first delivery or counter in the range, or `range.from` if that is later; undefined if there is none. */
  private async next(accountId: number, range: Range): Promise<string | undefined> {
    const bounds = [accountId, range.from, range.until];
    const [[begins]] = await this.dialect.read<[string | null]>(FIND_NEXT, [...bounds, ...bounds]);
    if (begins === null) return undefined;
    const day = begins.slice(0, DAY);
    return day < range.from ? range.from : day;
  }

  private async repairRange(accountId: number, range: Range): Promise<number> {
    const list = { table: 'deliveries', accountId };
    const { hours } = await difference(this.dialect, accountId, range, list);
    for (const hour of hours) await this.correct(accountId, hour);
    const bounds = [accountId, ...KINDS.values, range.from, range.until];
    const scattered = await this.dialect.read<[string]>(FIND_SCATTERED, bounds, list);
    for (const [hour] of scattered) await this.join(accountId, hour);
    return hours.length;
  }

  /** Adds the difference to the counters. Concurrent transactions don't change it, since they update deliveries and counters together. */
  private async correct(accountId: number, hour: string): Promise<void> {
    await this.executor.run(async (statements) => {
      // A concurrent `migrate --repair` waits for this lock, and then finds no difference.
      await statements.read(`SELECT id FROM accounts WHERE id = ?${this.dialect.sql.forUpdate}`, [accountId]);
      const counts = await difference(statements, accountId, { from: hour, until: `${hour}:60` });
      await counts.save(this.dialect, statements);
    });
  }

  /** Moves the numbers into shard 0. Adds and subtracts instead of setting them, since others may count meanwhile. */
  private async join(accountId: number, hour: string): Promise<void> {
    const values = [accountId, ...KINDS.values, hour];
    await this.executor.run(async (statements) => {
      type Counter = [kind: CounterKind, value: string, shard: number, number: number | string];
      const counts = new Counts();
      for (const [kind, value, shard, number] of await statements.read<Counter>(`${LOCK_COUNTERS}${this.dialect.sql.forUpdate}`, values)) {
        counts.add([accountId, kind, hour, value, shard], -Number(number));
        counts.add([accountId, kind, hour, value, 0], Number(number));
      }
      await counts.save(this.dialect, statements);
      await statements.write(DROP_ZEROS, values);
    });
  }
}

/** Deliveries minus counters. */
async function difference(reader: SqlReader, accountId: number, range: Range, list?: List): Promise<Counts> {
  const counts = new Counts();
  const { from, until } = range;
  const values = [accountId, from, until, accountId, ...KINDS.values, from, until];
  for (const [kind, hour, handlerId, status, value, number] of await reader.read<Row>(COUNT_BOTH, values, list)) {
    if (kind === '') counts.addDeliveries([[accountId, hour, handlerId, status, value, Number(number)]], 1);
    else counts.add([accountId, kind, hour, value], -Number(number));
  }
  return counts;
}

/** Sorts after every hour of the day. */
function endOfDay(begin: string): string {
  return `${begin.slice(0, DAY)} 24`;
}
