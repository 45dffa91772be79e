import { Injectable } from '@nestjs/common';
import { type Cells, Dialect } from './dialect';
import { type LargeList, type Place, START } from './large-list';
import { LARGE, LargeLists } from './large-lists';

interface Readable {
  table: string;
  columns: string;
}

/** Reads a page of a large list without counting the list, or passing by the records before the page. */
@Injectable()
export class LargePages {
  constructor(
    private readonly dialect: Dialect,
    private readonly largeLists: LargeLists,
  ) {}

  /** The rows, and how many there are in all; nothing when the list is not known to be large, or has lost a record since. */
  async read(of: Readable, accountId: number, offset: number, size: number): Promise<{ rows: Cells[]; total: number } | undefined> {
    const list =
      this.largeLists.known(of.table, accountId) ?? (offset < LARGE ? undefined : await this.largeLists.count(of.table, accountId));
    return list && this.readBehind(list, of, accountId, offset, size);
  }

  /** Goes on behind the record before the page. What has come since the list was counted is counted with the rows. */
  private async readBehind(list: LargeList, of: Readable, accountId: number, offset: number, size: number) {
    const { last, deletions } = list;
    const before = offset >= last.position ? last : await this.findPlace(of.table, accountId, offset, list);
    const account = this.dialect.ofAccount(accountId);
    const since = `(SELECT COUNT(*) FROM ${of.table} WHERE ${account.sql} AND id > ?), (SELECT deletions FROM accounts WHERE id = ?)`;
    const sinceValues = [...account.values, last.id, accountId];
    const rows = await this.dialect.read(
      `SELECT ${of.columns}, ${since} FROM ${of.table} WHERE ${account.sql} AND id > ? ORDER BY account_id, id LIMIT ? OFFSET ?`,
      [...sinceValues, ...account.values, before.id, size, offset - before.position],
    );
    const [newer, deletionsNow] = (rows[0] ?? (await this.dialect.read(`SELECT ${since}`, sinceValues))[0]).slice(-2);
    if (deletionsNow !== deletions) {
      this.largeLists.countBehind(of.table, accountId);
      return undefined;
    }
    if (rows.length > 0) list.remember({ position: offset + rows.length, id: Number(rows[rows.length - 1][0]) });
    return { rows, total: last.position + Number(newer) };
  }

  /** The record at a position: from the nearest known place, through the index alone. */
  private async findPlace(table: string, accountId: number, position: number, list: LargeList): Promise<Place> {
    const near = list.nearest(position);
    if (near.position === position) return near;
    const account = this.dialect.ofAccount(accountId);
    const [beyond, order, skipped] =
      near.position < position ? ['id > ?', 'ASC', position - near.position - 1] : ['id <= ?', 'DESC', near.position - position];
    const [row] = await this.dialect.read(
      `SELECT id FROM ${table} WHERE ${account.sql} AND ${beyond} ORDER BY account_id ${order}, id ${order} LIMIT 1 OFFSET ?`,
      [...account.values, near.id, skipped],
    );
    if (!row) return START; // another process has deleted so many that the place is gone
    const place = { position, id: Number(row[0]) };
    list.remember(place);
    return place;
  }
}
