import { Injectable } from '@nestjs/common';
import type { IntegerQueue } from '../../common/integer-queue';
import { Dialect } from '../dialect';
import { readState } from './list-changes';
import { ListMemory } from './list-memory';
import { ListSizes } from './list-sizes';
import type { OrderedList } from './ordered-list';
import { copyTexts, type Texts } from './text-copy';

/** A smaller list is searched by the statement that reads it. */
const MIN_SEARCHED = 20_000;
/** The database sorts or narrows as many given ids at most. */
export const MAX_GIVEN = 1_000;

/** The records that match a list's filters. */
export interface Matches {
  readonly total: number;
  /** In the list's order; undefined when the database must sort them. */
  readonly ids?: IntegerQueue;
}

/** What a list has besides the filter that was searched for. */
export interface Remaining {
  /** Whether there is no other filter. */
  readonly isWhole: boolean;
  readonly order: 'text' | 'id' | 'other';
  readonly isUp: boolean;
  /** Applies the list's filters to records with these ids, and sorts. */
  readonly narrow: (ids: readonly number[]) => Promise<IntegerQueue>;
}

/** Searches the texts of large lists: in a copy, or before there is one, in the text's index. */
@Injectable()
export class TextSearch {
  private readonly sizes: ListSizes;

  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {
    this.sizes = new ListSizes(dialect, MIN_SEARCHED);
  }

  /** Ids of the records whose `column` contains one of the texts, ordered by the column. Undefined when the list is not large. */
  async find(list: OrderedList, texts: readonly string[]): Promise<IntegerQueue | undefined> {
    if (texts.includes('')) return undefined;
    const key = `texts ${JSON.stringify([list.table, list.accountId, list.column, list.condition])}`;
    const known = await this.memory.get<Texts>(key);
    if (!known && !(await this.isLarge(list))) return undefined;
    if (known) {
      const { copy } = known.content;
      if (!copy) return this.findInIndex(list, texts); // they are too long to be copied
      const found = await copy.find(texts);
      if ((await readState(this.dialect, list)) === known.state) return found;
    }
    // Copies after the search: side by side, on two cores, the search takes half as long again (MySQL 9.7, a million: 990 ms, not 640).
    return this.findInIndex(list, texts).finally(() => void this.memory.prepare(key, list, () => copyTexts(this.dialect, list)));
  }

  isLarge(list: OrderedList): boolean | Promise<boolean> {
    return this.sizes.isLarge(list);
  }

  /** Orders what `find` has found. Undefined when the statement that reads the list does better. */
  async matches(ids: IntegerQueue, { isWhole, order, isUp, narrow }: Remaining): Promise<Matches | undefined> {
    if (isWhole && order !== 'other') {
      const sorted = order === 'id' ? await ids.sort() : ids;
      return { total: ids.length, ids: isUp ? sorted : sorted.reverse() };
    }
    if (ids.length > MAX_GIVEN) return isWhole ? { total: ids.length } : undefined;
    const narrowed = await narrow(ids.take(MAX_GIVEN));
    return { total: narrowed.length, ids: narrowed };
  }

  /** Ordered by the text, or MySQL would read the records (a million: 1.3 s instead of 0.5). */
  private findInIndex({ table, id, column, accountId, condition }: OrderedList, texts: readonly string[]): Promise<IntegerQueue> {
    const contained = texts.map(() => this.dialect.contains(column)).join(' OR ');
    return this.dialect.readIntegers(
      `SELECT ${id} FROM ${table} WHERE account_id = ?${condition.sql} AND (${contained}) ORDER BY ${column}, ${id}`,
      [accountId, ...condition.values, ...texts],
      { table, accountId },
    );
  }
}
