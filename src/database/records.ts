import { Injectable } from '@nestjs/common';
import { type Cells, Dialect, type Value } from './dialect';
import { LARGE, LargeLists } from './large-lists';
import { LargePages } from './large-pages';
import { Page, type PageRequest } from './page';
import { Transactions } from './transactions';

/** How the records of one table are read: `columns`, the id first, are what `toRecord` gets of a row, a boolean as 0 or 1. */
export interface RecordTable<R> {
  table: string;
  noun: string;
  columns: string;
  toRecord: (row: Cells) => R;
}

/** Values by the names of the columns that they are written to: names of ours, never a caller's. */
export type Columns = Readonly<Record<string, Value>>;

/** A record by the names of its columns. */
export type Row = Record<string, unknown>;

/** No record of this account has this id; answered as a 404 that doesn't tell whether another account has it. */
export class RecordNotFound extends Error {
  constructor(noun: string) {
    super(`There is no ${noun} with this id.`);
  }
}

/**
 * Reads and writes the records of a table, each account its own. Rows become records without an entity in between, and
 * records rows without a query builder: these take half of the time of a list, and a third of that of a write.
 */
@Injectable()
export class Records {
  constructor(
    private readonly dialect: Dialect,
    private readonly transactions: Transactions,
    private readonly largeLists: LargeLists,
    private readonly largePages: LargePages,
  ) {}

  /** A page by ascending id; one past the end is empty. */
  async findPage<R>(of: RecordTable<R>, accountId: number, request: PageRequest): Promise<Page<R>> {
    const offset = Math.min((request.page - 1) * request.size, Number.MAX_SAFE_INTEGER);
    const large = await this.largePages.read(of, accountId, offset, request.size);
    const { rows, total } = large ?? (await this.readPage(of, accountId, offset, request.size));
    return new Page(rows.map(of.toRecord), total, request);
  }

  /** @throws RecordNotFound */
  async find<R>({ table, noun, columns, toRecord }: RecordTable<R>, accountId: number, id: number): Promise<R> {
    const [row] = await this.dialect.read(`SELECT ${columns} FROM ${table} WHERE account_id = ? AND id = ?`, [accountId, id]);
    if (!row) throw new RecordNotFound(noun);
    return toRecord(row);
  }

  /** The record that was made last, in any account. */
  async findNewest<R>({ table, columns, toRecord }: RecordTable<R>): Promise<R | undefined> {
    const rows = await this.dialect.read(`SELECT ${columns} FROM ${table} ORDER BY id DESC LIMIT 1`, []);
    return rows.map(toRecord)[0];
  }

  /** Writes the columns of a new record, and gives its id. @throws UniqueViolation */
  async insert({ table }: RecordTable<unknown>, values: Columns): Promise<number> {
    const names = Object.keys(values);
    const marks = names.map(() => '?').join(', ');
    const { id } = await this.transactions.write(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`, Object.values(values));
    return id;
  }

  /** Writes some columns of the record that has these others. @throws RecordNotFound, UniqueViolation */
  async update({ table, noun }: RecordTable<unknown>, which: Columns, changes: Columns): Promise<void> {
    const sets = Object.keys(changes).map((name) => `${name} = ?`);
    const { affected } = await this.transactions.write(`UPDATE ${table} SET ${sets.join(', ')} WHERE ${conditions(which)}`, [
      ...Object.values(changes),
      ...Object.values(which),
    ]);
    if (affected === 0) throw new RecordNotFound(noun);
  }

  /** @throws RecordNotFound */
  async delete({ table, noun }: RecordTable<unknown>, accountId: number, id: number): Promise<void> {
    await this.transactions.run(async (_manager, statements) => {
      await statements.write('UPDATE accounts SET deletions = deletions + 1 WHERE id = ?', [accountId]);
      const { affected } = await statements.write(`DELETE FROM ${table} WHERE account_id = ? AND id = ?`, [accountId, id]);
      if (affected === 0) throw new RecordNotFound(noun);
    });
  }

  /** The count comes with the rows, in one round trip; without rows it is asked for. */
  private async readPage(of: RecordTable<unknown>, accountId: number, offset: number, size: number) {
    const count = `SELECT COUNT(*) FROM ${of.table} WHERE account_id = ?`;
    const page = 'WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?';
    const source = // from the second page on, those before it are skipped through the index alone
      offset === 0 ? `${of.table} ${page}` : `(SELECT id FROM ${of.table} ${page}) page JOIN ${of.table} USING (id) ORDER BY id`;
    const rows = await this.dialect.read(`SELECT ${of.columns}, (${count}) FROM ${source}`, [accountId, accountId, size, offset]);
    const total = Number(lastOf(rows[0] ?? (await this.dialect.read(count, [accountId]))[0]));
    if (total > LARGE) this.largeLists.countBehind(of.table, accountId);
    return { rows, total };
  }
}

function lastOf(row: Cells): unknown {
  return row[row.length - 1];
}

function conditions(which: Columns): string {
  return Object.keys(which)
    .map((name) => `${name} = ?`)
    .join(' AND ');
}
