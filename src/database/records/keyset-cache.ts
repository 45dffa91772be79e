import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor, type Values } from '../dialect';
import { countChange, UNSETTLED } from '../lists/list-state';
import { Keyset, START } from './keyset';

/** Counting more records than this takes longer than reading a page. */
export const LARGE = 2_000;
/** Bounds how long a write by other software goes unnoticed. */
export const MAX_AGE_MS = 5_000;
/** From this age on, a hit triggers a refresh in the background. */
export const REFRESH_MS = 2_000;
const MAX_LISTS = 1_000;

/** Caches the count of each large list, and anchors to read its pages from. */
@Injectable()
export class KeysetCache {
  private readonly lists = new Map<string, Keyset>();
  private readonly counts = new Map<string, Promise<Keyset | undefined>>();

  constructor(private readonly dialect: Dialect) {}

  get(table: string, accountId: number): Keyset | undefined {
    const list = this.lists.get(keyOf(table, accountId));
    if (!list || list.age > MAX_AGE_MS) return undefined;
    if (list.age > REFRESH_MS) this.refresh(table, accountId);
    return list;
  }

  /** Counts in the background; on failure, the next request counts. */
  refresh(table: string, accountId: number): void {
    this.count(table, accountId).catch(() => undefined);
  }

  /** Concurrent calls share one count. Undefined when the list is not large. */
  count(table: string, accountId: number): Promise<Keyset | undefined> {
    const key = keyOf(table, accountId);
    const pending = this.counts.get(key) ?? this.load(table, accountId, key).finally(() => this.counts.delete(key));
    this.counts.set(key, pending);
    return pending;
  }

  /** Invalidates the cache of every process; runs in the transaction of the deletion. */
  async countDeletion(statements: SqlExecutor, table: string, accountId: number): Promise<void> {
    await countChange(this.dialect, statements, table, accountId);
  }

  private async load(table: string, accountId: number, key: string): Promise<Keyset | undefined> {
    const old = this.lists.get(key) ?? new Keyset(START, 0);
    const marker = await this.dialect.changeMarker([table]);
    if (marker !== undefined && marker === old.marker && (await this.isCurrent(old, table, accountId))) {
      old.renew();
      return old;
    }
    const { sql, values } = this.dialect.ofAccount(accountId);
    const end = this.selectEnd(table, accountId);
    const deletions = selectDeletions(table, accountId);
    const count = `SELECT COUNT(*) FROM ${table} WHERE ${sql} AND id <= list_end.id`;
    const [row] = await this.dialect.read(
      `SELECT list_end.id, (${count}), (${count} AND id > ?), ${deletions.sql} FROM (${end.sql}) list_end`,
      [...values, ...values, old.end.id, ...deletions.values, ...end.values],
    );
    this.lists.delete(key);
    if (!row || Number(row[1]) <= LARGE - UNSETTLED) return undefined;
    const [id, position, added, deletionsNow] = row.map(Number);
    const list = old.recounted({ position, id }, deletionsNow, added, marker);
    const [oldest] = this.lists.keys();
    if (this.lists.size >= MAX_LISTS) this.lists.delete(oldest);
    this.lists.set(key, list);
    return list;
  }

  /** Of this process's own writes, which no marker shows on SQLite. A count of a million records takes a core of MariaDB for 0.2 s. */
  private async isCurrent(list: Keyset, table: string, accountId: number): Promise<boolean> {
    const end = this.selectEnd(table, accountId);
    const deletions = selectDeletions(table, accountId);
    const [[endNow, deletionsNow]] = await this.dialect.read(`SELECT (${end.sql}), ${deletions.sql}`, [...end.values, ...deletions.values]);
    return Number(endNow) === list.end.id && Number(deletionsNow) === list.deletions;
  }

  private selectEnd(table: string, accountId: number): { sql: string; values: Values } {
    const { sql, values } = this.dialect.ofAccount(accountId);
    return { sql: `SELECT id FROM ${table} WHERE ${sql} ORDER BY account_id DESC, id DESC LIMIT 1 OFFSET ${UNSETTLED}`, values };
  }
}

/** The list's deletion counter; NULL before its first deletion. */
export function selectDeletions(table: string, accountId: number): { sql: string; values: Values } {
  return { sql: '(SELECT number FROM deletions WHERE account_id = ? AND list = ?)', values: [accountId, table] };
}

function keyOf(table: string, accountId: number): string {
  return `${table} ${accountId}`;
}
