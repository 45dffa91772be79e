import { Injectable } from '@nestjs/common';
import { type RowValues, Dialect } from '../dialect';
import { type CachedKeyset, type Anchor, START } from './cached-keyset';
import { LARGE, KeysetCache, selectDeletions } from './keyset-cache';

interface Readable {
  table: string;
  columns: string;
}

interface PageOfRows {
  rows: RowValues[];
  total: number;
}

/** Reads a page of a large list without counting the list, or passing by the records before the page. */
@Injectable()
export class KeysetPager {
  constructor(
    private readonly dialect: Dialect,
    private readonly keysets: KeysetCache,
  ) {}

  /** Nothing when the list is not known to be large, or loses records just now. */
  async read(of: Readable, accountId: number, offset: number, size: number): Promise<PageOfRows | undefined> {
    const known = this.keysets.known(of.table, accountId);
    if (!known && offset < LARGE) return undefined;
    const page = known && (await this.readBehind(known, of, accountId, offset, size));
    if (page) return page;
    const list = await this.keysets.count(of.table, accountId);
    return list && this.readBehind(list, of, accountId, offset, size);
  }

  /**
   * Goes on behind the record before the page. What stands behind the end of the list is counted with the rows. Nothing
   * when the account has deleted a record since the list was counted.
   */
  private async readBehind(
    list: CachedKeyset,
    of: Readable,
    accountId: number,
    offset: number,
    size: number,
  ): Promise<PageOfRows | undefined> {
    const before = offset >= list.end.position ? list.end : await this.findPlace(of.table, accountId, offset, list);
    const account = this.dialect.ofAccount(accountId);
    const deletions = selectDeletions(of.table, accountId);
    const since = `(SELECT COUNT(*) FROM ${of.table} WHERE ${account.sql} AND id > ?), ${deletions.sql}`;
    const sinceValues = [...account.values, list.end.id, ...deletions.values];
    const skipped = offset - before.position;
    const page = `WHERE ${account.sql} AND id > ? ORDER BY account_id, id LIMIT ? OFFSET ?`;
    const source = // what is skipped behind the end is skipped through the index alone
      skipped === 0 ? `${of.table} ${page}` : `(SELECT id FROM ${of.table} ${page}) page JOIN ${of.table} USING (id) ORDER BY id`;
    const rows = await this.dialect.read(`SELECT ${of.columns}, ${since} FROM ${source}`, [
      ...sinceValues,
      ...account.values,
      ...[before.id, size, skipped],
    ]);
    const [newer, deletionsNow] = (rows[0] ?? (await this.dialect.read(`SELECT ${since}`, sinceValues))[0]).slice(-2).map(Number);
    if (deletionsNow !== list.deletions) return undefined;
    if (rows.length > 0) list.remember({ position: offset + rows.length, id: Number(rows[rows.length - 1][0]) });
    return { rows, total: list.end.position + newer };
  }

  /** The record at a position: from the nearest known place, through the index alone. */
  private async findPlace(table: string, accountId: number, position: number, list: CachedKeyset): Promise<Anchor> {
    const near = list.nearest(position);
    if (near.position === position) return near;
    const account = this.dialect.ofAccount(accountId);
    const [beyond, order, skipped] =
      near.position < position ? ['id > ?', 'ASC', position - near.position - 1] : ['id <= ?', 'DESC', near.position - position];
    const [row] = await this.dialect.read(
      `SELECT id FROM ${table} WHERE ${account.sql} AND ${beyond} ORDER BY account_id ${order}, id ${order} LIMIT 1 OFFSET ?`,
      [...account.values, near.id, skipped],
    );
    return row ? { position, id: Number(row[0]) } : START; // so many are gone that nothing stands there any more
  }
}
