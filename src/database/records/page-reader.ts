import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../common/page';
import { Dialect, type RowValues, type Values } from '../dialect';
import { conditionsOf, orderOf, type Selection } from '../lists/selection';
import { KeysetCache, LARGE } from './keyset-cache';
import { KeysetPager, type Slice } from './keyset-pager';

/** A page, and what the list selects. */
export interface ListRequest extends PageRequest {
  readonly selection?: Selection;
}

/** Table to read, with the id as its first column. */
interface Source {
  name: string;
  columns: string;
}

const ALL: Selection = { filters: [], orderby: 'id', direction: 'asc' };

/** Reads pages of one account's records. */
@Injectable()
export class PageReader {
  constructor(
    private readonly dialect: Dialect,
    private readonly keysets: KeysetCache,
    private readonly pager: KeysetPager,
  ) {}

  async read(source: Source, accountId: number, { page, size, selection = ALL }: ListRequest): Promise<Slice> {
    const offset = Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER);
    if (selection.filters.length > 0) return this.readSelected(source, accountId, selection, offset, size);
    const isById = selection.orderby === 'id' && selection.direction === 'asc';
    if (isById) {
      const slice = await this.pager.read(source, accountId, offset, size);
      return slice ?? this.readCounted(source, accountId, selection, offset, size);
    }
    const total = await this.pager.count(source.name, accountId);
    if (total === undefined) return this.readCounted(source, accountId, selection, offset, size);
    return { rows: await this.readRows(source, accountId, selection, offset, size), total };
  }

  private async readSelected(source: Source, accountId: number, selection: Selection, offset: number, size: number): Promise<Slice> {
    const { sql, values } = conditionsOf(selection.filters);
    const [[count]] = await this.dialect.read(`SELECT COUNT(*) FROM ${source.name} WHERE account_id = ?${sql}`, [accountId, ...values]);
    const total = Number(count);
    return { rows: offset < total ? await this.readRows(source, accountId, selection, offset, size) : [], total };
  }

  /** The count comes with the rows, in one round trip; without rows, in a second one. */
  private async readCounted(source: Source, accountId: number, selection: Selection, offset: number, size: number): Promise<Slice> {
    const count = `SELECT COUNT(*) FROM ${source.name} WHERE account_id = ?`;
    const { sql, values } = pageOf(source, accountId, selection, offset, size);
    const rows = await this.dialect.read(`SELECT ${source.columns}, (${count}) FROM ${sql}`, [accountId, ...values]);
    const total = Number(lastOf(rows[0] ?? (await this.dialect.read(count, [accountId]))[0]));
    if (total > LARGE) this.keysets.refresh(source.name, accountId);
    return { rows, total };
  }

  private readRows(source: Source, accountId: number, selection: Selection, offset: number, size: number): Promise<RowValues[]> {
    const { sql, values } = pageOf(source, accountId, selection, offset, size);
    return this.dialect.read(`SELECT ${source.columns} FROM ${sql}`, values);
  }
}

function pageOf({ name }: Source, accountId: number, selection: Selection, offset: number, size: number): { sql: string; values: Values } {
  const conditions = conditionsOf(selection.filters);
  const order = orderOf(selection.orderby, 'id', selection.direction);
  const page = `WHERE account_id = ?${conditions.sql} ${order} LIMIT ? OFFSET ?`;
  const values = [accountId, ...conditions.values, size, offset];
  const isFirstById = offset === 0 && selection.orderby === 'id';
  // Otherwise a deferred join: skips and sorts records in the index only.
  return { sql: isFirstById ? `${name} ${page}` : `(SELECT id FROM ${name} ${page}) page JOIN ${name} USING (id) ${order}`, values };
}

function lastOf(row: RowValues): unknown {
  return row[row.length - 1];
}
