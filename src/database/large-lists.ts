import { Injectable } from '@nestjs/common';
import { Dialect } from './dialect';
import { type Counted, LargeList } from './large-list';

/** To count more records than this takes longer than to read a page of them (measured: 75 ms a million). */
export const LARGE = 10_000;
/** A count serves for so long, and is made anew behind the requests once it is older than the second. */
const KNOWN_MILLISECONDS = 5_000;
const REFRESH_MILLISECONDS = 2_000;
const MOST_LISTS = 1_000;

/**
 * Remembers the large lists that are read. A deletion is seen at once, whoever serves it, for the account counts them; one
 * by a stranger to the service, within five seconds.
 */
@Injectable()
export class LargeLists {
  private readonly lists = new Map<string, LargeList>();
  private readonly counts = new Map<string, Promise<LargeList>>();

  constructor(private readonly dialect: Dialect) {}

  /** The list, when it is known to be large. */
  known(table: string, accountId: number): LargeList | undefined {
    const list = this.lists.get(nameOf(table, accountId));
    if (!list || list.age > KNOWN_MILLISECONDS) return undefined;
    if (list.age > REFRESH_MILLISECONDS) this.countBehind(table, accountId);
    return list;
  }

  /** Counts a list for the requests to come; if that fails, the next of them tries again. */
  countBehind(table: string, accountId: number): void {
    this.count(table, accountId).catch(() => undefined);
  }

  count(table: string, accountId: number): Promise<LargeList> {
    const name = nameOf(table, accountId);
    const underWay = this.counts.get(name);
    if (underWay) return underWay;
    const count: Promise<LargeList> = this.readCount(table, accountId, this.lists.get(name)?.last.id ?? 0)
      .then((counted) => this.keep(name, counted))
      .finally(() => this.counts.delete(name));
    this.counts.set(name, count);
    return count;
  }

  private async readCount(table: string, accountId: number, lastId: number): Promise<Counted> {
    const account = this.dialect.ofAccount(accountId);
    const newer = `SELECT COUNT(*) FROM ${table} WHERE ${account.sql} AND id > ?`;
    const deletions = 'SELECT deletions FROM accounts WHERE id = ?';
    const [row] = await this.dialect.read(`SELECT COUNT(*), MAX(id), (${newer}), (${deletions}) FROM ${table} WHERE account_id = ?`, [
      ...account.values,
      lastId,
      accountId,
      accountId,
    ]);
    const [position, id, newerCount, deletionCount] = row.map(Number);
    return { last: { position, id }, newer: newerCount, deletions: deletionCount };
  }

  private keep(name: string, counted: Counted): LargeList {
    const list = this.lists.get(name) ?? new LargeList(counted);
    list.setCount(counted);
    if (this.lists.size >= MOST_LISTS) this.lists.clear();
    if (counted.last.position > LARGE) this.lists.set(name, list);
    else this.lists.delete(name);
    return list;
  }
}

function nameOf(table: string, accountId: number): string {
  return `${table} ${accountId}`;
}
