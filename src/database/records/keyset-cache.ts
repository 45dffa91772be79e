import { Injectable } from '@nestjs/common';
import { type Comparison, Dialect, type Values } from '../dialect';
import { CHECK_MS, MAX_AGE_MS, REBUILD_MS } from '../lists/list-state';
import { SettledIds } from '../lists/settled-ids';
import { Keyset, START } from './keyset';

/** Counting more records than this takes longer than reading a page. */
export const LARGE = 2_000;
const MAX_LISTS = 1_000;

/** Caches the count of each large list, and anchors to read its pages from. */
@Injectable()
export class KeysetCache {
  private readonly lists = new Map<string, Keyset>();
  private readonly counts = new Map<string, Promise<Keyset | undefined>>();
  /** Lists that are being counted anew although nobody seems to have written to them. */
  private readonly recounts = new Set<string>();

  constructor(
    private readonly dialect: Dialect,
    private readonly settledIds: SettledIds,
  ) {}

  get(table: string, accountId: number): Keyset | undefined {
    const list = this.lists.get(keyOf(table, accountId));
    if (!list || list.age > MAX_AGE_MS) return undefined;
    if (list.age > CHECK_MS) this.refresh(table, accountId);
    return list;
  }

  /** Whether the list was large when it was last counted. */
  isKnown(table: string, accountId: number): boolean {
    return this.lists.has(keyOf(table, accountId));
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

  private async load(table: string, accountId: number, key: string): Promise<Keyset | undefined> {
    const old = this.lists.get(key);
    const begun = performance.now();
    const marker = old && (await this.dialect.changeMarker([table])); // a list that may be small is spared the statement
    if (!old || marker === undefined || marker !== old.marker || !(await this.isCurrent(old, table, accountId))) {
      return this.recount(table, accountId, key, marker);
    }
    old.renew(begun);
    if (performance.now() - old.countedAt > REBUILD_MS) this.recountBehind(table, accountId, key, marker);
    return old;
  }

  private recountBehind(table: string, accountId: number, key: string, marker: string): void {
    if (this.recounts.has(key)) return;
    this.recounts.add(key);
    this.recount(table, accountId, key, marker)
      .catch(() => undefined)
      .finally(() => this.recounts.delete(key));
  }

  private async recount(table: string, accountId: number, key: string, marker?: string): Promise<Keyset | undefined> {
    const old = this.lists.get(key) ?? new Keyset(START, 0);
    const countedAt = performance.now();
    const { sql, values } = this.dialect.ofAccount(accountId);
    const end = await this.selectEnd(table, accountId);
    const deletions = selectDeletions(table, accountId);
    const count = `SELECT COUNT(*) FROM ${table} WHERE ${sql} AND id <= list_end.id`;
    const [row] = await this.dialect.read(
      `SELECT list_end.id, (${count}), (${count} AND id > ?), ${deletions.sql} FROM (${end.sql}) list_end`,
      [...values, ...values, old.end.id, ...deletions.values, ...end.values],
      { table, accountId },
    );
    this.lists.delete(key);
    if (!row || Number(row[1]) <= LARGE) return undefined;
    const [id, position, added, deletionsNow] = row.map(Number);
    const list = old.recounted({ end: { position, id }, deletions: deletionsNow, marker, countedAt }, added);
    const [oldest] = this.lists.keys();
    if (this.lists.size >= MAX_LISTS) this.lists.delete(oldest);
    this.lists.set(key, list);
    return list;
  }

  /** Checks for this process's own inserts and deletions, which SQLite's marker omits; a count of a million takes a core of MariaDB 0.2 s. */
  private async isCurrent(list: Keyset, table: string, accountId: number): Promise<boolean> {
    const end = await this.selectEnd(table, accountId);
    const deletions = selectDeletions(table, accountId);
    const [[endNow, deletionsNow]] = await this.dialect.read(`SELECT (${end.sql}), ${deletions.sql}`, [...end.values, ...deletions.values]);
    return Number(endNow) === list.end.id && Number(deletionsNow) === list.deletions;
  }

  /** Selects the last record up to which nothing is inserted any more. */
  private async selectEnd(table: string, accountId: number): Promise<Comparison> {
    const { sql, values } = this.dialect.ofAccount(accountId);
    const settled = await this.settledIds.find(table);
    return {
      sql: `SELECT id FROM ${table} WHERE ${sql} AND id <= ? ORDER BY account_id DESC, id DESC LIMIT 1`,
      values: [...values, settled],
    };
  }
}

/** The list's deletion counter; NULL before its first deletion. */
export function selectDeletions(table: string, accountId: number): { sql: string; values: Values } {
  return { sql: '(SELECT number FROM deletions WHERE account_id = ? AND list = ?)', values: [accountId, table] };
}

function keyOf(table: string, accountId: number): string {
  return `${table} ${accountId}`;
}
