import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../dialect';
import { type AccountList, changesBetween, isSameUpTo, newestId, stateOf } from './list-changes';
import { ListMemory, type Remembered } from './list-memory';
import type { Condition, Direction } from './selection';

/** A list of more records is large: counting them takes longer than reading a page. */
export const MAX_SMALL = 2_000;
/** With more records after the end, the end moves on. */
const MAX_NEWER = 2_000;
/** From this many rows on, the count is read after them: repeated in each row, it costs a fifth of their reading (bench/HISTORY.md). */
const MANY_ROWS = 200;
const MAX_ATTEMPTS = 3;
const MAX_ANCHORS = 500;
const ANCHOR_BYTES = 40;

/** Table to read, with the id as its first column. */
export interface TableColumns {
  readonly name: string;
  readonly columns: string;
}

/** Rows of a page, and how many records the list has. */
export interface Slice {
  readonly rows: RowValues[];
  readonly total: number;
}

interface PageRange {
  readonly direction: Direction;
  readonly offset: number;
  readonly size: number;
}

/** `position` is the number of records with an id up to and including `id`. */
interface Anchor {
  readonly position: number;
  readonly id: number;
}

const START: Anchor = { position: 0, id: 0 };

/** How many records a large list has, and anchors to read its pages by id from: reading from the start is slow (bench/HISTORY.md). */
class ListCount {
  readonly bytes: number;

  constructor(
    /** The greatest id. */
    readonly end: Anchor,
    readonly anchors: Anchor[] = [],
  ) {
    this.bytes = end.position > MAX_SMALL ? MAX_ANCHORS * ANCHOR_BYTES : 0;
  }

  nearest(position: number): Anchor {
    const distance = (anchor: Anchor) => Math.abs(anchor.position - position);
    return [START, this.end, ...this.anchors].reduce((best, anchor) => (distance(anchor) < distance(best) ? anchor : best));
  }

  /** Not after the end: records may still be inserted before those. */
  add(anchor: Anchor): void {
    if (anchor.position > this.end.position || this.anchors.some(({ position }) => position === anchor.position)) return;
    if (this.anchors.unshift(anchor) > MAX_ANCHORS) this.anchors.pop();
  }
}

type Known = Remembered<ListCount>;

/**
 * Totals of large lists, and their pages by id. A list is counted once: later totals add what has been inserted since, and subtract what
 * has been deleted. Anchors hold until a record is deleted, or inserted before the end, as MySQL's late commits do.
 */
@Injectable()
export class ListCounts {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  /** Undefined when the list isn't known to be large. */
  async total(list: AccountList): Promise<number | undefined> {
    const known = await this.memory.get<ListCount>(keyOf(list));
    if (!known && !this.memory.has(keyOf(list))) return undefined;
    const total = known && (await this.totalNow(known, list));
    return total ?? (await this.count(list)).content.end.position;
  }

  /** Undefined when the list isn't known to be large, or changes too fast. */
  async read({ name: table, columns }: TableColumns, accountId: number, range: PageRange): Promise<Slice | undefined> {
    const list = { table, accountId };
    let known = await this.memory.get<ListCount>(keyOf(list));
    if (!known && range.offset <= MAX_SMALL && !this.memory.has(keyOf(list))) return undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      known ??= await this.count(list);
      const slice = await this.readSlice(known, list, columns, range);
      if (slice) return slice;
      known = await this.moveEnd(known, list);
    }
    return undefined;
  }

  /** Counts in the background; on failure, the next request counts. */
  prepare(list: AccountList): void {
    this.count(list).catch(() => undefined);
  }

  private async totalNow(known: Known, list: AccountList): Promise<number | undefined> {
    const { sql, values } = this.selectNow(known, list);
    const [[newer, state]] = await this.dialect.read(`SELECT ${sql}`, values);
    if (Number(newer) > MAX_NEWER) this.moveEnd(known, list).catch(() => undefined);
    return totalAt(known, Number(newer), String(state));
  }

  private count(list: AccountList): Promise<Known> {
    const { table, accountId } = list;
    return this.memory.load(keyOf(list), [table], async (old?: Known) => {
      const state = stateOf(list);
      const sql = `SELECT COUNT(*), MAX(id), COALESCE(SUM(id > ?), 0), ${state.sql} FROM ${table} WHERE account_id = ?`;
      const [[count, id, newer, now]] = await this.dialect.read(sql, [old?.content.end.id ?? 0, ...state.values, accountId], list);
      const end = { position: Number(count), id: Number(id) };
      const isSame = old && isSameUpTo(changesBetween(old.state, String(now)), Number(newer));
      const holds = isSame && end.position - Number(newer) === old.content.end.position;
      return { content: new ListCount(end, holds ? old.content.anchors : []), state: String(now) };
    });
  }

  /** Undefined when the count or an anchor no longer holds. */
  private async readSlice(known: Known, list: AccountList, columns: string, range: PageRange): Promise<Slice | undefined> {
    const { direction, offset, size } = range;
    if (offset <= MAX_SMALL) return this.readFrom(START, known, list, columns, range);
    if (direction === 'asc') return this.readFrom(await this.findAnchor(known, list, offset), known, list, columns, range);
    const total = await this.total(list);
    if (total === undefined || offset >= total) return total === undefined ? undefined : { rows: [], total };
    const start = Math.max(0, total - offset - size);
    const reversed: PageRange = { direction: 'asc', offset: start, size: total - offset - start };
    const slice = await this.readFrom(await this.findAnchor(known, list, start), known, list, columns, reversed);
    return slice?.total === total ? { rows: slice.rows.reverse(), total } : undefined; // else positions have moved meanwhile
  }

  private async readFrom(anchor: Anchor, known: Known, list: AccountList, columns: string, range: PageRange): Promise<Slice | undefined> {
    const { direction, offset, size } = range;
    const page = this.pageOf(list, anchor, range);
    const now = this.selectNow(known, list);
    const isCounted = size < MANY_ROWS;
    const selected = isCounted ? { sql: `${columns}, ${now.sql}`, values: [...now.values, ...page.values] } : { ...page, sql: columns };
    const rows = await this.dialect.read(`SELECT ${selected.sql} FROM ${page.sql}`, selected.values);
    const counted = isCounted && rows.length > 0 ? rows : await this.dialect.read(`SELECT ${now.sql}`, now.values);
    const [newer, state] = counted[0].slice(-2);
    const isSame = isSameUpTo(changesBetween(known.state, String(state)), Number(newer));
    const total = totalAt(known, Number(newer), String(state));
    if (total === undefined || (!isSame && anchor !== START)) return undefined;
    if (Number(newer) > MAX_NEWER) this.moveEnd(known, list).catch(() => undefined);
    if (isSame && rows.length > 0 && direction === 'asc') {
      known.content.add({ position: offset + rows.length, id: Number(rows[rows.length - 1][0]) });
    }
    return { rows, total };
  }

  private pageOf(list: AccountList, anchor: Anchor, { direction, offset, size }: PageRange): Condition {
    const account = this.dialect.ofAccount(list.accountId);
    const skipped = offset - anchor.position;
    const page = `WHERE ${account.sql} AND id > ? ORDER BY account_id ${direction}, id ${direction} LIMIT ? OFFSET ?`;
    const joined = `(SELECT id FROM ${list.table} ${page}) page JOIN ${list.table} USING (id) ORDER BY id ${direction}`; // skips in the index only
    return { sql: skipped === 0 ? `${list.table} ${page}` : joined, values: [...account.values, anchor.id, size, skipped] };
  }

  /** Selects how many records come after the end, and the state. */
  private selectNow({ content }: Known, list: AccountList): Condition {
    const [account, state] = [this.dialect.ofAccount(list.accountId), stateOf(list)];
    const sql = `(SELECT COUNT(*) FROM ${list.table} WHERE ${account.sql} AND id > ?), ${state.sql}`;
    return { sql, values: [...account.values, content.end.id, ...state.values] };
  }

  /** Finds the record at a position by an index-only scan. The page that is read from it shows whether it is right. */
  private async findAnchor({ content }: Known, { table, accountId }: AccountList, position: number): Promise<Anchor> {
    const near = content.nearest(position);
    if (near.position === position || position >= content.end.position) return near;
    const account = this.dialect.ofAccount(accountId);
    const [condition, order, skipped] =
      near.position < position ? ['id > ?', 'ASC', position - near.position - 1] : ['id <= ?', 'DESC', near.position - position];
    const [row] = await this.dialect.read(
      `SELECT id FROM ${table} WHERE ${account.sql} AND ${condition} ORDER BY account_id ${order}, id ${order} LIMIT 1 OFFSET ?`,
      [...account.values, near.id, skipped],
      skipped > MAX_SMALL ? { table, accountId } : undefined,
    );
    return row ? { position, id: Number(row[0]) } : START;
  }

  /** The count as it is now, without counting; the anchors stay if they hold. */
  private async moveEnd(known: Known, list: AccountList): Promise<Known> {
    const [newest, now] = [newestId(this.dialect, list), this.selectNow(known, list)];
    const [[id, newer, state]] = await this.dialect.read(`SELECT ${newest.sql}, ${now.sql}`, [...newest.values, ...now.values]);
    const total = totalAt(known, Number(newer), String(state));
    if (total === undefined || total <= MAX_SMALL) return this.count(list);
    const { anchors, end } = known.content;
    const kept = isSameUpTo(changesBetween(known.state, String(state)), Number(newer)) ? [end, ...anchors] : [];
    const moved = { content: new ListCount({ position: total, id: Number(id) }, kept), state: String(state) };
    this.memory.update(keyOf(list), known, moved);
    return moved;
  }
}

/** Given how many records come after the end. Undefined after changes whose number isn't known. */
function totalAt({ content, state }: Known, newer: number, now: string): number | undefined {
  const { inserted, deleted, uncounted } = changesBetween(state, now);
  return uncounted === 0 ? content.end.position + Math.max(inserted, newer) - deleted : undefined;
}

function keyOf({ table, accountId }: AccountList): string {
  return `count ${table} ${accountId}`;
}
