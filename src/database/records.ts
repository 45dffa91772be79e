import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Page, type PageRequest } from './page';

/** How the records of one table are read: `fields` are its columns, in the order in which the interface shows them. */
export interface RecordTable<R> {
  table: string;
  noun: string;
  fields: readonly (keyof R & string)[];
  toRecord: (row: Row) => R;
}

/** A row as the driver gives it: column by column, a boolean as 0 or 1. */
export type Row = Record<string, unknown>;

/** No record of this account has this id; answered as a 404 that doesn't tell whether another account has it. */
export class RecordNotFound extends Error {
  constructor(noun: string) {
    super(`There is no ${noun} with this id.`);
  }
}

/**
 * Reads records as plain objects, each account its own. Rows become records without an entity in between: hydrating
 * entities takes half of the time of a list.
 */
@Injectable()
export class Records {
  constructor(private readonly dataSource: DataSource) {}

  /** A page by ascending id; one past the end is empty. */
  async findPage<R>(of: RecordTable<R>, accountId: number, request: PageRequest): Promise<Page<R>> {
    const total = await this.count(of, accountId);
    const offset = (request.page - 1) * request.size;
    if (offset >= total) return new Page<R>([], total, request);
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${of.fields.join(', ')} FROM ${of.table} WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?`,
      [accountId, request.size, offset],
    );
    return new Page(rows.map(of.toRecord), total, request);
  }

  /** @throws RecordNotFound */
  async find<R>(of: RecordTable<R>, accountId: number, id: number): Promise<R> {
    const rows: Row[] = await this.dataSource.query(`SELECT ${of.fields.join(', ')} FROM ${of.table} WHERE account_id = ? AND id = ?`, [
      accountId,
      id,
    ]);
    if (rows.length === 0) throw new RecordNotFound(of.noun);
    return of.toRecord(rows[0]);
  }

  /** The record that was made last, in any account. */
  async findNewest<R>(of: RecordTable<R>): Promise<R | undefined> {
    const rows: Row[] = await this.dataSource.query(`SELECT ${of.fields.join(', ')} FROM ${of.table} ORDER BY id DESC LIMIT 1`);
    return rows.map((row) => of.toRecord(row))[0];
  }

  private async count({ table }: { table: string }, accountId: number): Promise<number> {
    const [row] = await this.dataSource.query(`SELECT COUNT(*) AS total FROM ${table} WHERE account_id = ?`, [accountId]);
    return Number(row.total);
  }
}
