import { Injectable } from '@nestjs/common';
import { SharedRuns } from '../../common/shared-runs';
import { Dialect, type List } from '../dialect';
import { MAX_AGE_MS, REBUILD_MS, updatesFromNow } from '../lists/list-state';
import type { RequestWrites } from '../lists/ordered-list';
import { accountColumn, type Condition, conditionsOf, type Filter } from '../lists/selection';
import type { KeysetState } from './keyset';
import { KeysetCache, LARGE, selectDeletions } from './keyset-cache';

/** How many records of a list match a filter, up to `keyset.end`. */
interface FilterCount {
  /** Of the list, when it was counted. */
  readonly keyset: KeysetState;
  /** Leaves out what was updated at `since` or later, which is compared each time. */
  readonly matches: number;
  readonly since: string;
  /** How many records were updated at `since` or later. */
  readonly updated: number;
  /** When the count began, by the monotonic clock. */
  readonly countedAt: number;
}

interface FilteredList {
  readonly table: string;
  readonly accountId: number;
  readonly condition: Condition;
  readonly writes: RequestWrites;
}

interface CountedTable {
  name: string;
  writes?: RequestWrites;
}

const MAX_COUNTS = 1_000;
/** With more updated records to compare each time, a count is made anew after a minute, when there may be fewer. */
const MANY_UPDATED = 2_000;
const MANY_UPDATED_MS = 60_000;

/**
 * Caches how many records of a large list match a filter: counting a million takes up to a second. A count holds until another
 * record is deleted or updated, and while the list's own count is the same, or for MAX_AGE_MS. Newer records are counted each time.
 */
@Injectable()
export class FilterCounts {
  private readonly cached = new Map<string, FilterCount>();
  private readonly runs = new SharedRuns<number>();

  constructor(
    private readonly dialect: Dialect,
    private readonly keysets: KeysetCache,
  ) {}

  async count({ name: table, writes }: CountedTable, accountId: number, filters: readonly Filter[]): Promise<number> {
    // Finding what was updated without an index takes longer than the count (300,000 deliveries on SQLite: 42 ms, and 9).
    if (!writes) return this.countMatches({ table, accountId }, filters);
    const condition = conditionsOf(filters);
    const list = { table, accountId, condition, writes };
    const key = JSON.stringify([table, accountId, condition]);
    const total = await this.countFromCache(key, list);
    return total ?? this.runs.run(key, () => this.recount(key, list));
  }

  /** Undefined when there is no count, or it no longer holds. */
  private async countFromCache(key: string, list: FilteredList): Promise<number | undefined> {
    const cached = this.cached.get(key);
    if (!cached) return undefined;
    const keyset = this.keysets.get(list.table, list.accountId) ?? (await this.keysets.count(list.table, list.accountId));
    const isSame = keyset?.isSameAs(cached.keyset) ?? false;
    const age = performance.now() - cached.countedAt;
    if (!isSame && age > MAX_AGE_MS) return undefined;
    const total = await this.update(cached, list);
    if (total === undefined) return undefined;
    const isOld = age > (cached.updated > MANY_UPDATED ? MANY_UPDATED_MS : REBUILD_MS);
    if ((!isSame || isOld) && !this.runs.isRunning(key)) this.runs.run(key, () => this.recount(key, list)).catch(() => undefined);
    return total;
  }

  private async update({ keyset, matches, since, updated }: FilterCount, list: FilteredList): Promise<number | undefined> {
    const { table, accountId, condition } = list;
    const account = this.dialect.ofAccount(accountId);
    const newer = `SELECT COUNT(*) FROM ${table} WHERE ${account.sql} AND id > ?${condition.sql}`;
    const changed = selectUpdated(list, keyset, since);
    const [[added, updatedNow, updatedMatches, deletions]] = await this.dialect.read(
      `SELECT (${newer}), ${changed.sql}`,
      [...account.values, keyset.end.id, ...condition.values, ...changed.values],
      list,
    );
    const holds = Number(updatedNow) === updated && Number(deletions) === keyset.deletions;
    return holds ? matches + Number(updatedMatches) + Number(added) : undefined;
  }

  private async recount(key: string, list: FilteredList): Promise<number> {
    const { table, accountId, condition } = list;
    const known = this.keysets.get(table, accountId);
    const keyset = known ?? (this.keysets.isKnown(table, accountId) ? await this.keysets.count(table, accountId) : undefined);
    if (!keyset) {
      this.cached.delete(key);
      return this.countUncached(list);
    }
    const { end, deletions } = keyset;
    const [since, countedAt] = [updatesFromNow(), performance.now()];
    const changed = selectUpdated(list, keyset, since);
    const [[matches, total, updated, updatedMatches, deletionsNow]] = await this.dialect.read(
      `SELECT SUM(id <= ?), COUNT(*), ${changed.sql} FROM ${table} WHERE account_id = ?${condition.sql}`,
      [end.id, ...changed.values, accountId, ...condition.values],
      list,
    );
    this.cached.delete(key);
    const settled = Number(matches) - Number(updatedMatches);
    if (Number(deletionsNow) !== deletions) this.keysets.refresh(table, accountId);
    else this.remember(key, { keyset: keyset.state, matches: settled, since, updated: Number(updated), countedAt });
    return Number(total);
  }

  /** If the list is large, counts it in the background, so that the next count of the filter can be cached. */
  private async countUncached(list: FilteredList): Promise<number> {
    const { table, accountId, condition } = list;
    const large = `SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${LARGE}`;
    const count = `SELECT COUNT(*), (${large}) FROM ${table} WHERE account_id = ?${condition.sql}`;
    const [[total, isLarge]] = await this.dialect.read(count, [accountId, accountId, ...condition.values], list);
    if (isLarge !== null) this.keysets.refresh(table, accountId);
    return Number(total);
  }

  private async countMatches(list: List, filters: readonly Filter[]): Promise<number> {
    const { sql, values } = conditionsOf(filters);
    const count = `SELECT COUNT(*) FROM ${list.table} WHERE ${accountColumn(filters)} = ?${sql}`;
    const [[total]] = await this.dialect.read(count, [list.accountId, ...values], list);
    return Number(total);
  }

  private remember(key: string, count: FilterCount): void {
    if (this.cached.size >= MAX_COUNTS) this.cached.delete(this.cached.keys().next().value!);
    this.cached.set(key, count);
  }
}

/** Selects how many records up to the keyset's end were updated from a time on, how many of them match, and the deletion counter. */
function selectUpdated({ table, accountId, condition, writes }: FilteredList, { end }: KeysetState, since: string): Condition {
  const deletions = selectDeletions(table, accountId);
  if (writes === 'by id') return { sql: `0, 0, ${deletions.sql}`, values: [...deletions.values] };
  const count = `SELECT COUNT(*) FROM ${table} WHERE account_id = ? AND last_datetime >= ? AND id <= ?`;
  const updated = [accountId, since, end.id];
  const values = [...updated, ...updated, ...condition.values, ...deletions.values];
  return { sql: `(${count}), (${count}${condition.sql}), ${deletions.sql}`, values };
}
