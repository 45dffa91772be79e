import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { IntegerQueue } from '../../common/integer-queue';
import { Dialect } from '../dialect';
import { type AccountList, readState } from './list-changes';
import { ListMemory, ListSizes, type SizedContent } from './list-memory';
import { type OrderedList, readInOrder } from './ordered-pages';

/** Smaller lists are searched in SQL. */
const MIN_LIST_SIZE = 20_000;
/** Maximum number of ids passed to the database to sort or to filter. */
export const MAX_IDS_IN_SQL = 1_000;
/** Texts searched between yields to the event loop: takes at most 5 ms, when all of them match. */
const TEXTS_PER_YIELD = 20_000;
/** A byte that never occurs in UTF-8 (RFC 3629, section 3), so no match spans two texts. */
const TEXT_SEPARATOR = Buffer.of(0xff);
const MAX_COPY_BYTES = 32 * 2 ** 20;

/** The records that match a list's filters. */
export interface Matches {
  readonly total: number;
  /** In the list's order; undefined when the database must sort them. */
  readonly ids?: IntegerQueue;
}

/** The rest of a list's query, apart from the text filter whose matches were found. */
interface RemainingQuery {
  /** Whether there is no other filter. */
  readonly isOnlyFilter: boolean;
  readonly order: 'text' | 'id' | 'other';
  readonly isAscending: boolean;
  /** Applies the list's filters to records with these ids, and sorts. */
  readonly applyFilters: (ids: readonly number[]) => Promise<IntegerQueue>;
}

/** Searches the texts of large lists: in a copy in memory or, until there is one, in the column's index. */
@Injectable()
export class TextSearch {
  private readonly sizes: ListSizes;

  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {
    this.sizes = new ListSizes(dialect, MIN_LIST_SIZE);
  }

  /** Ids of the records whose `column` contains one of the texts, ordered by the column. Undefined when the list is not large. */
  async find(list: OrderedList, texts: readonly string[]): Promise<IntegerQueue | undefined> {
    if (texts.includes('')) return undefined;
    const key = `texts ${JSON.stringify([list.table, list.accountId, list.column, list.condition])}`;
    const cached = await this.memory.get<CachedTexts>(key);
    if (!cached && !(await this.isLarge(list))) return undefined;
    if (cached) {
      const { copy } = cached.content;
      if (!copy) return this.findInIndex(list, texts); // the texts are too long to copy
      const matchingIds = await copy.find(texts);
      if ((await readState(this.dialect, list)) === cached.state) return matchingIds;
    }
    // Copies only after the search: in parallel, on two cores, the search takes 990 ms instead of 640 (MySQL 9.7, a million records).
    return this.findInIndex(list, texts).finally(() => void this.memory.prepare(key, list, () => copyTexts(this.dialect, list)));
  }

  isLarge(list: AccountList): boolean | Promise<boolean> {
    return this.sizes.isLarge(list);
  }

  /** Applies the rest of the list's query to the ids from `find`. Undefined if reading the list in SQL is faster. */
  async matches(ids: IntegerQueue, { isOnlyFilter, order, isAscending, applyFilters }: RemainingQuery): Promise<Matches | undefined> {
    if (isOnlyFilter && order !== 'other') {
      const sorted = order === 'id' ? await ids.sort() : ids;
      return { total: ids.length, ids: isAscending ? sorted : sorted.reverse() };
    }
    if (ids.length > MAX_IDS_IN_SQL) return isOnlyFilter ? { total: ids.length } : undefined;
    const filteredIds = await applyFilters(ids.take(MAX_IDS_IN_SQL));
    return { total: filteredIds.length, ids: filteredIds };
  }

  /** The ORDER BY makes MySQL read only the index: otherwise, it would read the records (a million: 1.3 s instead of 0.5). */
  private findInIndex({ table, id, column, accountId, condition }: OrderedList, texts: readonly string[]): Promise<IntegerQueue> {
    const containsConditions = texts.map(() => this.dialect.sql.contains(column)).join(' OR ');
    return this.dialect.readIntegers(
      `SELECT ${id} FROM ${table} WHERE account_id = ?${condition.sql} AND (${containsConditions}) ORDER BY ${column}, ${id}`,
      [accountId, ...condition.values, ...texts],
      { table, accountId },
    );
  }
}

/** `copy` is undefined if the texts are too long to copy; that result is cached, too. */
interface CachedTexts extends SizedContent {
  readonly copy?: TextCopy;
}

/** The texts of a column in one buffer, which is searched in a tenth of the time of a database's index (bench/HISTORY.md). */
class TextCopy {
  readonly bytes: number;

  /** `starts`: the offset of each text in the buffer, and the end of the last one. */
  constructor(
    private readonly texts: Buffer,
    private readonly starts: Int32Array,
    private readonly ids: Int32Array,
  ) {
    this.bytes = texts.length + starts.byteLength + ids.byteLength;
  }

  /** Ids of the texts that contain one of these non-empty texts, in the copy's order. */
  async find(soughtTexts: readonly string[]): Promise<IntegerQueue> {
    const matchingIds = new IntegerQueue();
    const parts = soughtTexts.map((text) => Buffer.from(text));
    for (let first = 0; first < this.ids.length; first += TEXTS_PER_YIELD) {
      const end = Math.min(first + TEXTS_PER_YIELD, this.ids.length);
      const rows = parts.flatMap((part) => this.findRows(part, first, end));
      for (const row of parts.length > 1 ? new Set(rows.sort((a, b) => a - b)) : rows) matchingIds.add(this.ids[row]);
      await yieldToEventLoop();
    }
    return matchingIds;
  }

  private findRows(part: Buffer, first: number, end: number): number[] {
    const rows: number[] = [];
    const start = this.starts[first];
    const texts = this.texts.subarray(start, this.starts[end]);
    for (let at = texts.indexOf(part), row = first; at >= 0; at = texts.indexOf(part, this.starts[row] - start)) {
      row = this.rowAt(start + at, row, end);
      rows.push(row++);
    }
    return rows;
  }

  /** Index of the text that this byte belongs to, by binary search. */
  private rowAt(position: number, low: number, high: number): number {
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Copies the texts in the list's column, in order. */
async function copyTexts(dialect: Dialect, list: OrderedList): Promise<CachedTexts> {
  const ids = new IntegerQueue();
  const starts = new IntegerQueue();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const rows of readInOrder(dialect, list)) {
    const texts: Buffer[] = [];
    for (const [id, value] of rows) {
      const text = Buffer.from(String(value));
      texts.push(text, TEXT_SEPARATOR);
      ids.add(id);
      starts.add(length);
      length += text.length + TEXT_SEPARATOR.length;
    }
    parts.push(Buffer.concat(texts));
    if (length > MAX_COPY_BYTES) return { bytes: 1 };
  }
  starts.add(length);
  const copy = new TextCopy(Buffer.concat(parts), starts.toArray(), ids.toArray());
  return { copy, bytes: copy.bytes };
}
