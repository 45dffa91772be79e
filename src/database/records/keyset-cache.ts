import { Injectable } from '@nestjs/common';
import { Dialect, type Statements, type Values } from '../dialect';
import { CachedKeyset } from './cached-keyset';

/** To count more records than this takes longer than to read a page of them. */
export const LARGE = 2_000;
/**
 * Ids are given in one order and kept in another: of writers that are at work together, the first may keep its record last.
 * None of them is so far behind the others (but an import, which has a transaction for many records).
 */
const UNSETTLED = 200;
/** A count serves for so long, and is made anew behind the requests once it is older than the second: a stranger to the service may have written. */
const KNOWN_MILLISECONDS = 5_000;
const REFRESH_MILLISECONDS = 2_000;
const MAX_LISTS = 1_000;

/** Remembers the large lists that are read. */
@Injectable()
export class KeysetCache {
  private readonly lists = new Map<string, CachedKeyset>();
  private readonly counts = new Map<string, Promise<CachedKeyset | undefined>>();

  constructor(private readonly dialect: Dialect) {}

  /** The list, when it is known to be large. */
  known(table: string, accountId: number): CachedKeyset | undefined {
    const list = this.lists.get(nameOf(table, accountId));
    if (!list || list.age > KNOWN_MILLISECONDS) return undefined;
    if (list.age > REFRESH_MILLISECONDS) this.countBehind(table, accountId);
    return list;
  }

  /** Counts a list for the requests to come; if that fails, the next of them tries again. */
  countBehind(table: string, accountId: number): void {
    this.count(table, accountId).catch(() => undefined);
  }

  /** Counts a list, once for all that ask together; one that is not large is not remembered. */
  count(table: string, accountId: number): Promise<CachedKeyset | undefined> {
    const name = nameOf(table, accountId);
    const underWay = this.counts.get(name);
    if (underWay) return underWay;
    const count = this.countAnew(table, accountId).finally(() => this.counts.delete(name));
    this.counts.set(name, count);
    return count;
  }

  /** With a deletion, in its transaction. */
  async countDeletion(statements: Statements, table: string, accountId: number): Promise<void> {
    const insert = 'INSERT INTO deletions (account_id, list, number) VALUES (?, ?, 1)';
    await statements.write(`${insert} ${this.dialect.onDuplicate('account_id, list')} number = number + 1`, [accountId, table]);
  }

  private async countAnew(table: string, accountId: number): Promise<CachedKeyset | undefined> {
    const name = nameOf(table, accountId);
    const older = this.lists.get(name);
    const { list, newer } = await this.readCount(table, accountId, older?.end.id ?? 0);
    this.lists.delete(name);
    if (!list || list.end.position <= LARGE - UNSETTLED) return undefined;
    const isUnchanged = list.end.position - newer === older?.end.position && list.deletions === older.deletions;
    if (isUnchanged) list.goOnFrom(older);
    if (this.lists.size >= MAX_LISTS) this.lists.delete(this.lists.keys().next().value!);
    this.lists.set(name, list);
    return list;
  }

  /** The list, and how many of its records stand behind an id. */
  private async readCount(table: string, accountId: number, olderId: number): Promise<{ list?: CachedKeyset; newer: number }> {
    const { sql, values } = this.dialect.ofAccount(accountId);
    const deletions = selectDeletions(table, accountId);
    const last = `SELECT id FROM ${table} WHERE ${sql} ORDER BY account_id DESC, id DESC LIMIT 1 OFFSET ${UNSETTLED}`;
    const count = `SELECT COUNT(*) FROM ${table} WHERE ${sql} AND id <= last.id`;
    const rows = await this.dialect.read(`SELECT last.id, (${count}), (${count} AND id > ?), ${deletions.sql} FROM (${last}) last`, [
      ...[...values, ...values, olderId, ...deletions.values],
      ...values,
    ]);
    const [row] = rows.map((cells) => cells.map(Number));
    if (!row) return { newer: 0 };
    const [id, position, newer, deletionsThen] = row;
    return { list: new CachedKeyset({ position, id }, deletionsThen), newer };
  }
}

/** How many records a list has lost; null when it is none. */
export function selectDeletions(table: string, accountId: number): { sql: string; values: Values } {
  return { sql: '(SELECT number FROM deletions WHERE account_id = ? AND list = ?)', values: [accountId, table] };
}

function nameOf(table: string, accountId: number): string {
  return `${table} ${accountId}`;
}
