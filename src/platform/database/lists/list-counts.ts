import { Injectable } from '@nestjs/common';
import { Dialect, type SqlFragment } from '../dialect';
import {
  type AccountList,
  changesBetween,
  isSameUpTo,
  type ListTable,
  selectNewerCount,
  selectNewestId,
  readState,
  selectState,
  joinFragments,
} from './list-changes';
import { ListMemory, type CachedContent, type SizedContent } from './list-memory';
import { ListCount, MAX_SMALL_LIST, type Scan } from './list-positions';
import type { Slice } from '../records/pages';
import type { Direction } from '../records/selection';

/** If more records than this are newer than a count's end, the end is moved, and matches are recounted. */
const MAX_NEWER_RECORDS = 2_000;
/** From this many rows on, the count is read by a second query: selecting it in each row takes a fifth longer (bench/HISTORY.md). */
const SEPARATE_COUNT_ROWS = 200;
const MAX_ATTEMPTS = 3;
const MATCH_COUNT_BYTES = 1_000;

/** A list, and the columns to read, the id first. */
interface ListColumns extends AccountList {
  readonly columns: string;
}

/** Number of records that match a filter. `end`: the list's greatest id when they were counted; 0 if newer matches are not added. */
interface MatchCount extends SizedContent {
  readonly matches: number;
  readonly end: number;
}

type CachedCount = CachedContent<ListCount>;

/**
 * Totals of large lists, and their pages by id. A list is counted once; later totals are computed from the records inserted and deleted since.
 * Anchors are valid until a record is deleted, or inserted before the end, which happens on MySQL when transactions commit out of order.
 */
@Injectable()
export class ListCounts {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  /** Number of records; undefined when the list isn't known to be large. */
  async total(list: AccountList): Promise<number | undefined> {
    const cached = await this.memory.get<ListCount>(keyOf(list));
    if (!cached && !this.memory.has(keyOf(list))) return undefined;
    const { content } = await (cached ? this.extendToEnd(cached, list) : this.count(list));
    return content.end.position;
  }

  /** Number of matching records. A cached count is valid until a record is deleted or updated; newer records are checked on each call. */
  async totalMatching(list: ListTable, condition: SqlFragment): Promise<number> {
    const values = [list.accountId, ...condition.values];
    const count = { sql: `SELECT COUNT(*) FROM ${list.table} WHERE account_id = ?${condition.sql}`, values };
    const cached = await this.memory.get<MatchCount>(keyOfCount(count));
    const total = cached && (await this.countCurrentMatches(cached, list, condition, count));
    return total ?? this.countMatches(list, count, selectNewestId(this.dialect, list));
  }

  /** The number that a SELECT returns. For a large list, the SELECT runs again only after one of the list's tables has changed. */
  async selectCount(list: ListTable, count: SqlFragment): Promise<number> {
    const cached = await this.memory.get<MatchCount>(keyOfCount(count));
    const isCurrent = cached && (await readState(this.dialect, list)) === cached.state;
    return isCurrent ? cached.content.matches : this.countMatches(list, count);
  }

  /** Reads a page by id. Undefined when the list isn't known to be large, or changes too fast. */
  async read(source: ListColumns, offset: number, size: number, direction: Direction): Promise<Slice | undefined> {
    let cached = await this.memory.get<ListCount>(keyOf(source));
    if (!cached && offset <= MAX_SMALL_LIST && !this.memory.has(keyOf(source))) return undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      cached ??= await this.count(source);
      const slice = await (direction === 'asc'
        ? this.readForward(cached, source, offset, offset + size)
        : this.readBackward(cached, source, offset, size));
      if (slice) return slice;
      cached = await this.extendToEnd(cached, source);
    }
    return undefined;
  }

  /** Counts a list in the background; if that fails, the next request counts it. */
  prepare(list: AccountList): void {
    this.count(list).catch(() => undefined);
  }

  private count(list: AccountList): Promise<CachedCount> {
    const { table, accountId } = list;
    return this.memory.load(keyOf(list), [table], async (old?: CachedCount) => {
      const state = selectState(list);
      const sql = `SELECT COUNT(*), MAX(id), COALESCE(SUM(id > ?), 0), ${state.sql} FROM ${table} WHERE account_id = ?`;
      const values = [old?.content.end.id ?? 0, ...state.values, accountId];
      const [[position, id, newer, now]] = await this.dialect.read<[number, number | null, number, string]>(sql, values, list);
      const isSame = old && isSameUpTo(changesBetween(old.state, now), newer) && position - newer === old.content.end.position;
      return { content: new ListCount({ position, id: id ?? 0 }, isSame ? old.content.anchors : []), state: now };
    });
  }

  /** The records at these positions, by ascending id. Undefined when the count or an anchor is no longer valid. */
  private async readForward(cached: CachedCount, source: ListColumns, from: number, to: number): Promise<Slice | undefined> {
    const scan = cached.content.planScan(from, to);
    const scanned = await this.scan(cached, source, scan);
    if (!scanned || (scan.size < to - from && scanned.newer > 0)) return undefined; // newer records belong to this page, too
    const { rows, total, isSame } = scanned;
    if (scan.direction === 'desc') rows.reverse();
    if (isSame && rows.length > 0) cached.content.addAnchors(from, rows);
    return { rows, total };
  }

  /** A page by descending id. */
  private async readBackward(cached: CachedCount, source: ListColumns, offset: number, size: number): Promise<Slice | undefined> {
    if (offset <= MAX_SMALL_LIST) return this.scan(cached, source, { direction: 'desc', skip: offset, size });
    const now = await this.extendToEnd(cached, source);
    const total = now.content.end.position;
    if (offset >= total) return { rows: [], total };
    const slice = await this.readForward(now, source, Math.max(0, total - offset - size), total - offset);
    return slice?.total === total ? { rows: slice.rows.reverse(), total } : undefined; // otherwise, positions have changed in the meantime
  }

  /** Reads rows, counts records after the end, and checks earlier records. Undefined when the count or anchor is no longer valid. */
  private async scan(
    cached: CachedCount,
    source: ListColumns,
    scan: Scan,
  ): Promise<(Slice & { newer: number; isSame: boolean }) | undefined> {
    const [page, now] = [this.pageOf(source, scan), this.selectCurrentCount(cached, source)];
    const isCounted = scan.size < SEPARATE_COUNT_ROWS;
    const columns = { sql: source.columns, values: [] };
    const select = isCounted ? joinFragments(columns, now) : columns;
    const list = scan.skip > MAX_SMALL_LIST ? source : undefined;
    const rows = await this.dialect.read(`SELECT ${select.sql} FROM ${page.sql}`, [...select.values, ...page.values], list);
    const counted = isCounted && rows.length > 0 ? rows : await this.dialect.read(`SELECT ${now.sql}`, now.values);
    const [newer, state] = counted[0].slice(-2) as [number, string];
    const isSame = isSameUpTo(changesBetween(cached.state, state), newer);
    const total = totalAt(cached, newer, state);
    if (total === undefined || (scan.anchor && !isSame)) return undefined;
    if (newer > MAX_NEWER_RECORDS) this.extendToEnd(cached, source).catch(() => undefined);
    return { rows, total, newer, isSame };
  }

  private pageOf({ table, accountId }: AccountList, { anchor, direction, skip, size }: Scan): SqlFragment {
    const account = this.dialect.sql.ofAccount(accountId);
    const beyond = anchor && direction === 'desc' ? '<=' : '>';
    const page = `WHERE ${account.sql} AND id ${beyond} ? ORDER BY account_id ${direction}, id ${direction} LIMIT ? OFFSET ?`;
    // A deferred join: OFFSET skips entries of the index, without reading their rows.
    const joined = `(SELECT id FROM ${table} ${page}) page JOIN ${table} USING (id) ORDER BY id ${direction}`;
    const values = [...account.values, anchor?.id ?? 0, size, skip];
    return { sql: skip === 0 ? `${table} ${page}` : joined, values };
  }

  /** SELECT list: the number of records after the end, and the list's state. */
  private selectCurrentCount({ content }: CachedCount, list: AccountList): SqlFragment {
    return joinFragments(selectNewerCount(this.dialect, list, content.end.id), selectState(list));
  }

  /** Updates the count without recounting; keeps the anchors if they are still valid. */
  private async extendToEnd(cached: CachedCount, list: AccountList): Promise<CachedCount> {
    const { sql, values } = joinFragments(this.selectCurrentCount(cached, list), selectNewestId(this.dialect, list));
    const [[newer, state, id]] = await this.dialect.read<[number, string, number | null]>(`SELECT ${sql}`, values);
    const total = totalAt(cached, newer, state);
    if (id === null || total === undefined || total <= MAX_SMALL_LIST) return this.count(list);
    const isSame = isSameUpTo(changesBetween(cached.state, state), newer);
    const extended = { content: new ListCount({ position: total, id }, isSame ? cached.content.anchors : []), state };
    this.memory.update(keyOf(list), cached, extended);
    return extended;
  }

  /** Adds newer matches to a cached count. Undefined when the count is no longer valid. */
  private async countCurrentMatches(
    { content, state }: CachedContent<MatchCount>,
    list: ListTable,
    condition: SqlFragment,
    count: SqlFragment,
  ) {
    const newer = [undefined, condition].map((each) => selectNewerCount(this.dialect, list, content.end, each));
    const { sql, values } = joinFragments(...newer, selectState(list));
    const [[all, matching, now]] = await this.dialect.read<[all: number, matching: number, now: string]>(`SELECT ${sql}`, values, list);
    const changes = changesBetween(state, now);
    if (changes.updated > 0 || !isSameUpTo(changes, all)) return undefined;
    if (all > MAX_NEWER_RECORDS) this.countMatches(list, count, selectNewestId(this.dialect, list)).catch(() => undefined);
    return content.matches + matching;
  }

  private async countMatches(list: ListTable, count: SqlFragment, newest = { sql: 'NULL', values: [] } as SqlFragment): Promise<number> {
    const { table, accountId, tables = [table] } = list;
    const { content } = await this.memory.load<MatchCount>(keyOfCount(count), tables, async () => {
      const large = { sql: `(SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${MAX_SMALL_LIST})`, values: [accountId] };
      const { sql, values } = joinFragments({ sql: `(${count.sql})`, values: count.values }, newest, large, selectState(list));
      const [[matches, end, isLarge, now]] = await this.dialect.read<[number, number | null, number | null, string]>(
        `SELECT ${sql}`,
        values,
        list,
      );
      return { content: { matches, end: end ?? 0, bytes: isLarge === null ? 0 : MATCH_COUNT_BYTES }, state: now };
    });
    return content.matches;
  }
}

/** `newer` is the number of records after the end. Undefined after changes to an unknown number of records. */
function totalAt({ content, state }: CachedCount, newer: number, now: string): number | undefined {
  const { inserted, deleted, uncounted } = changesBetween(state, now);
  return uncounted === 0 ? content.end.position + Math.max(inserted, newer) - deleted : undefined;
}

function keyOf({ table, accountId }: AccountList): string {
  return `count ${table} ${accountId}`;
}

function keyOfCount({ sql, values }: SqlFragment): string {
  return `matches ${JSON.stringify([sql, values])}`;
}
