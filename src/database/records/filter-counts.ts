import { Injectable } from '@nestjs/common';
import { Dialect } from '../dialect';
import { updatedSince, updatesFromNow } from '../lists/list-state';
import type { RequestWrites } from '../lists/ordered-list';
import type { Condition } from '../lists/selection';
import { KeysetCache, LARGE, MAX_AGE_MS, REFRESH_MS, selectDeletions } from './keyset-cache';

/** What a filter lets pass, up to and including the record `end`. */
interface FilterCount {
  end: number;
  number: number;
  deletions: number;
  /** Records changed from this time on may pass now, or pass no more. */
  since: string;
  /** By the monotonic clock. */
  countedAt: number;
}

interface CountedTable {
  name: string;
  writes?: RequestWrites;
}

const MAX_COUNTS = 1_000;

/**
 * Remembers what filters let pass of large lists: counting takes up to a second at a million records. A count holds until a record
 * is deleted or changed, and as long as the count of the list; newer records are counted each time.
 */
@Injectable()
export class FilterCounts {
  private readonly counts = new Map<string, FilterCount>();
  private readonly pending = new Map<string, Promise<number>>();

  constructor(
    private readonly dialect: Dialect,
    private readonly keysets: KeysetCache,
  ) {}

  async count({ name: table, writes }: CountedTable, accountId: number, condition: Condition): Promise<number> {
    // Finding what was updated without an index takes longer than the count (300,000 deliveries on SQLite: 42 ms, and 9).
    if (!writes) return this.countUnremembered(table, accountId, condition);
    const key = JSON.stringify([table, accountId, condition]);
    const remembered = this.counts.get(key);
    const age = remembered ? performance.now() - remembered.countedAt : Infinity;
    const current = remembered && age <= MAX_AGE_MS && (await this.update(remembered, table, accountId, condition, writes));
    if (typeof current !== 'number') return this.recount(key, table, accountId, condition);
    if (age > REFRESH_MS) this.recount(key, table, accountId, condition).catch(() => undefined);
    return current;
  }

  /** Concurrent calls share one count. */
  private recount(key: string, table: string, accountId: number, condition: Condition): Promise<number> {
    const pending = this.pending.get(key) ?? this.countAll(key, table, accountId, condition).finally(() => this.pending.delete(key));
    this.pending.set(key, pending);
    return pending;
  }

  /** Undefined when the count no longer holds. */
  private async update(
    { end, number, deletions, since }: FilterCount,
    table: string,
    accountId: number,
    { sql, values }: Condition,
    writes: RequestWrites,
  ): Promise<number | undefined> {
    const account = this.dialect.ofAccount(accountId);
    const newer = `SELECT COUNT(*) FROM ${table} WHERE ${account.sql} AND id > ?${sql}`;
    const changed = writes === 'by id' ? { sql: '0', values: [] } : updatedSince(table, accountId, since);
    const deleted = selectDeletions(table, accountId);
    const [[added, isChanged, deletionsNow]] = await this.dialect.read(`SELECT (${newer}), ${changed.sql}, ${deleted.sql}`, [
      ...account.values,
      end,
      ...values,
      ...changed.values,
      ...deleted.values,
    ]);
    return Number(isChanged) === 0 && Number(deletionsNow) === deletions ? number + Number(added) : undefined;
  }

  private async countAll(key: string, table: string, accountId: number, condition: Condition): Promise<number> {
    const list = this.keysets.get(table, accountId);
    if (!list) return this.countUnremembered(table, accountId, condition);
    const { end, deletions } = list;
    const since = updatesFromNow();
    const deleted = selectDeletions(table, accountId);
    const [[number, all, deletionsNow]] = await this.dialect.read(
      `SELECT SUM(id <= ?), COUNT(*), ${deleted.sql} FROM ${table} WHERE account_id = ?${condition.sql}`,
      [end.id, ...deleted.values, accountId, ...condition.values],
    );
    this.counts.delete(key);
    if (Number(deletionsNow) === deletions) this.remember(key, { end: end.id, number: Number(number), deletions, since });
    else this.keysets.refresh(table, accountId);
    return Number(all);
  }

  /** Has a large list counted in the background: the next count of the filter is remembered with it. */
  private async countUnremembered(table: string, accountId: number, { sql, values }: Condition): Promise<number> {
    const large = `SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${LARGE}`;
    const [[total, isLarge]] = await this.dialect.read(`SELECT COUNT(*), (${large}) FROM ${table} WHERE account_id = ?${sql}`, [
      accountId,
      accountId,
      ...values,
    ]);
    if (isLarge !== null) this.keysets.refresh(table, accountId);
    return Number(total);
  }

  private remember(key: string, count: Omit<FilterCount, 'countedAt'>): void {
    if (this.counts.size >= MAX_COUNTS) this.counts.delete(this.counts.keys().next().value!);
    this.counts.set(key, { ...count, countedAt: performance.now() });
  }
}
