import type { Dialect, SqlExecutor, Values } from '../../platform/database/dialect';
import { inList, insertRows } from '../../platform/database/value-lists';
import type { CounterKind } from './delivery-statistic.entity';

const KEY = ['account_id', 'kind', 'hour', 'value', 'shard'];

type Row = readonly [accountId: number, hour: string, handlerId: number, status: string, outcome: string, number: number];

type Key = [accountId: number, kind: CounterKind, hour: string, value: string, shard?: number];

/** Increments to add to the counters. */
export class Counts {
  private readonly counts = new Map<string, { key: Key; number: number }>();

  addDeliveries(rows: readonly Row[], sign: 1 | -1): void {
    for (const [accountId, hour, handlerId, status, outcome, number] of rows) {
      this.add([accountId, 'status', hour, status], sign * number);
      this.add([accountId, 'outcome', hour, outcome], sign * number);
      this.add([accountId, 'handler', hour, String(handlerId)], sign * number);
    }
  }

  /** A key without a shard counts in the transaction's own shard. */
  add(key: Key, number: number): void {
    const name = key.join(' ');
    const count = this.counts.get(name);
    if (count) count.number += number;
    else this.counts.set(name, { key, number });
  }

  /** Hours whose counters change. */
  get hours(): string[] {
    return [...new Set(this.changed().map(({ key: [, , hour] }) => hour))].sort();
  }

  async save({ sql }: Dialect, statements: SqlExecutor): Promise<void> {
    const own = { sql: sql.shard, values: [] };
    const rows = this.changed().map(({ key: [accountId, kind, hour, value, shard = own], number }) => {
      return [accountId, kind, hour, value, shard, number];
    });
    await insertRows(statements, 'delivery_statistics', [...KEY, 'number'], rows, { sql: sql.upsertSums(KEY.join(', '), ['number']) });
  }

  /** The counters that change, in a fixed order, so that transactions can't deadlock. */
  private changed(): { key: Key; number: number }[] {
    const changed = [...this.counts].filter(([, { number }]) => number !== 0);
    return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }
}

const FIND = `SELECT account_id, SUBSTR(datetime, 1, 13), handler_id, status, COALESCE(outcome, ''), 1 FROM deliveries WHERE`;

/** Adds deliveries to the statistics, or with the sign -1 takes them out. `condition` chooses rows that this transaction has locked. */
export async function addToStatistics(
  dialect: Dialect,
  statements: SqlExecutor,
  sign: 1 | -1,
  condition: string,
  values: Values,
): Promise<void> {
  const counts = new Counts();
  counts.addDeliveries(await statements.read<Row>(`${FIND} ${condition}`, values), sign);
  await counts.save(dialect, statements);
}

/** Runs a change of these deliveries' status or outcome, and updates the counters. The transaction must have locked the deliveries. */
export async function withStatistics<T>(
  dialect: Dialect,
  statements: SqlExecutor,
  ids: readonly number[],
  change: () => Promise<T>,
): Promise<T> {
  if (ids.length === 0) return change();
  const { sql, values } = inList(ids);
  const counts = new Counts();
  counts.addDeliveries(await statements.read<Row>(`${FIND} id IN ${sql}`, values), -1);
  const result = await change();
  counts.addDeliveries(await statements.read<Row>(`${FIND} id IN ${sql}`, values), 1);
  await counts.save(dialect, statements);
  return result;
}
