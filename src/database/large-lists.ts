import { Injectable } from '@nestjs/common';
import { Dialect } from './dialect';
import { type Place, LargeList } from './large-list';

/** To count more records than this takes longer than to read a page of them (measured: 75 ms a million). */
export const LARGE = 10_000;
/** A count serves for so long, and is made anew behind the requests once it is older than the second. */
const KNOWN_MILLISECONDS = 5_000;
const REFRESH_MILLISECONDS = 2_000;
const MOST_LISTS = 1_000;

interface Count {
  last: Place;
  newer: number;
}

/** Remembers the large lists that are read. A process sees what it deletes itself at once, and what another does within five seconds. */
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
      .then((read) => (this.counts.get(name) === count ? this.keep(name, read) : new LargeList(read.last)))
      .finally(() => this.counts.get(name) === count && this.counts.delete(name));
    this.counts.set(name, count);
    return count;
  }

  /** After a deletion. A count that is under way may have come before it, and is not kept. */
  forget(table: string, accountId: number): void {
    this.lists.delete(nameOf(table, accountId));
    this.counts.delete(nameOf(table, accountId));
  }

  /** How many records there are, the last of them, and how many have come behind the one that was the last before. */
  private async readCount(table: string, accountId: number, lastId: number): Promise<Count> {
    const account = this.dialect.ofAccount(accountId);
    const [[position, id, newer]] = await this.dialect.read(
      `SELECT COUNT(*), MAX(id), (SELECT COUNT(*) FROM ${table} WHERE ${account.sql} AND id > ?) FROM ${table} WHERE account_id = ?`,
      [...account.values, lastId, accountId],
    );
    return { last: { position: Number(position), id: Number(id) }, newer: Number(newer) };
  }

  private keep(name: string, { last, newer }: Count): LargeList {
    const list = this.lists.get(name) ?? new LargeList(last);
    list.setLast(last, newer);
    if (this.lists.size >= MOST_LISTS) this.lists.clear();
    if (last.position > LARGE) this.lists.set(name, list);
    else this.lists.delete(name);
    return list;
  }
}

function nameOf(table: string, accountId: number): string {
  return `${table} ${accountId}`;
}
