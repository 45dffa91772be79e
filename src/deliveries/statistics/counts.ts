import type { Dialect, SqlExecutor } from '../../database/dialect';
import { insertRows } from '../../database/value-lists';
import type { CounterKind } from './delivery-statistic.entity';

const KEY = ['account_id', 'kind', 'hour', 'value', 'shard'];

type Deliveries = readonly [accountId: number, hour: string, handlerId: number, status: string, outcome: string, number: number];

type Key = [accountId: number, kind: CounterKind, hour: string, value: string, shard?: number];

/** What is to be added to the counters. */
export class Counts {
  private readonly counts = new Map<string, { key: Key; number: number }>();

  addDeliveries(rows: readonly Deliveries[], sign: 1 | -1): void {
    for (const [accountId, hour, handlerId, status, outcome, number] of rows) {
      this.add([accountId, 'status', hour, status], sign * number);
      this.add([accountId, 'outcome', hour, outcome], sign * number);
      this.add([accountId, 'handler', hour, String(handlerId)], sign * number);
    }
  }

  /** By default in the transaction's own shard. */
  add(key: Key, number: number): void {
    const name = key.join(' ');
    const count = this.counts.get(name);
    if (count) count.number += number;
    else this.counts.set(name, { key, number });
  }

  /** Those in which counters change. */
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

  /** In one order, so that transactions can't deadlock. */
  private changed(): { key: Key; number: number }[] {
    const changed = [...this.counts].filter(([, { number }]) => number !== 0);
    return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }
}
