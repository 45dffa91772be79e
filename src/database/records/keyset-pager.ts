import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues, type Values } from '../dialect';
import { type Anchor, type Keyset, START } from './keyset';
import { KeysetCache, LARGE, selectDeletions } from './keyset-cache';

/** Table to read, with the id as its first column. */
interface Source {
  name: string;
  columns: string;
}

/** Rows of a page, and how many records the list has. */
export interface Slice {
  rows: RowValues[];
  total: number;
}

/** From this many rows on, the count is read after them: repeated in each row, it costs a fifth of their reading (bench/HISTORY.md). */
const MANY = 200;

/** Reads pages of large lists without counting the list or scanning the records before the page. */
@Injectable()
export class KeysetPager {
  constructor(
    private readonly dialect: Dialect,
    private readonly keysets: KeysetCache,
  ) {}

  /** Undefined when the list isn't known to be large, or records are being deleted from it. */
  async read(source: Source, accountId: number, offset: number, size: number): Promise<Slice | undefined> {
    const cached = this.keysets.get(source.name, accountId);
    if (!cached && offset < LARGE && !this.keysets.isKnown(source.name, accountId)) return undefined;
    const slice = cached && (await this.readSlice(cached, source, accountId, offset, size));
    if (slice) return slice;
    const list = await this.keysets.count(source.name, accountId);
    return list && this.readSlice(list, source, accountId, offset, size);
  }

  /** How many records a large list has. Undefined when it isn't known to be large, or records are being deleted from it. */
  async count(table: string, accountId: number): Promise<number | undefined> {
    const list = this.keysets.get(table, accountId) ?? (await this.keysets.count(table, accountId));
    if (!list) return undefined;
    const { sql, values } = this.countSince(list, table, accountId);
    const [[newer, deletions]] = await this.dialect.read(`SELECT ${sql}`, values);
    return Number(deletions) === list.deletions ? list.end.position + Number(newer) : undefined;
  }

  /** Also counts the records after `list.end`. Undefined when the list has had deletions since it was counted. */
  private async readSlice(
    list: Keyset,
    { name: table, columns }: Source,
    accountId: number,
    offset: number,
    size: number,
  ): Promise<Slice | undefined> {
    const anchor = offset >= list.end.position ? list.end : await this.findAnchor(table, accountId, offset, list);
    const account = this.dialect.ofAccount(accountId);
    const { sql: since, values: sinceValues } = this.countSince(list, table, accountId);
    const skipped = offset - anchor.position;
    const page = `WHERE ${account.sql} AND id > ? ORDER BY account_id, id LIMIT ? OFFSET ?`;
    const from = // deferred join: skips rows in the index only
      skipped === 0 ? `${table} ${page}` : `(SELECT id FROM ${table} ${page}) page JOIN ${table} USING (id) ORDER BY id`;
    const pageValues = [...account.values, anchor.id, size, skipped];
    const isCounted = size < MANY;
    const selected = isCounted ? { sql: `${columns}, ${since}`, values: sinceValues } : { sql: columns, values: [] };
    const rows = await this.dialect.read(`SELECT ${selected.sql} FROM ${from}`, [...selected.values, ...pageValues]);
    const counted = isCounted && rows.length > 0 ? rows : await this.dialect.read(`SELECT ${since}`, sinceValues);
    const [newer, deletionsNow] = counted[0].slice(-2).map(Number);
    if (deletionsNow !== list.deletions) return undefined;
    if (rows.length > 0) list.add({ position: offset + rows.length, id: Number(rows[rows.length - 1][0]) });
    return { rows, total: list.end.position + newer };
  }

  /** Selects the number of records after the list's end, and its deletion counter. */
  private countSince(list: Keyset, table: string, accountId: number): { sql: string; values: Values } {
    const account = this.dialect.ofAccount(accountId);
    const deletions = selectDeletions(table, accountId);
    const sql = `(SELECT COUNT(*) FROM ${table} WHERE ${account.sql} AND id > ?), ${deletions.sql}`;
    return { sql, values: [...account.values, list.end.id, ...deletions.values] };
  }

  /** Finds the record at a position by an index-only scan. */
  private async findAnchor(table: string, accountId: number, position: number, list: Keyset): Promise<Anchor> {
    const near = list.nearest(position);
    if (near.position === position) return near;
    const account = this.dialect.ofAccount(accountId);
    const [condition, order, skipped] =
      near.position < position ? ['id > ?', 'ASC', position - near.position - 1] : ['id <= ?', 'DESC', near.position - position];
    const [row] = await this.dialect.read(
      `SELECT id FROM ${table} WHERE ${account.sql} AND ${condition} ORDER BY account_id ${order}, id ${order} LIMIT 1 OFFSET ?`,
      [...account.values, near.id, skipped],
      skipped > LARGE ? { table, accountId } : undefined,
    );
    return row ? { position, id: Number(row[0]) } : START; // deletions have shortened the list
  }
}
