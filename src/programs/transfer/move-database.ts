import { createHash, type Hash } from 'node:crypto';
import type { DataSource, EntityMetadata, QueryRunner } from 'typeorm';
import { OperatorError } from '../../auth/accounts/accounts.service';
import type { Dialect, RowValues } from '../../platform/database/dialect';
import { Progress } from './import-task';
import { findProblems } from './move-check';
import { idOf, selectAll, type Snapshot } from './snapshot';

/** Rows and bytes per statement, far below MySQL's max_allowed_packet; statements per transaction. */
const ROWS_PER_STATEMENT = 250;
const BYTES_PER_STATEMENT = 1024 * 1024;
const STATEMENTS_PER_TRANSACTION = 40;
/** SQLite's page cache. Small, because rows arrive in key order: with an import's 128 MiB, the command needs 300 MB instead of 180. */
const CACHE_KIB = 16 * 1_024;
const ROWS_PER_CHECKSUM = 10_000;

interface MoveTarget {
  dataSource: DataSource;
  dialect: Dialect;
  /** Opens a second view of the target, to compare it with the source. */
  open(): Promise<Snapshot>;
}

/** Copies every table of a snapshot to an empty database of the same schema, and compares the two. */
export class DatabaseMove {
  private readonly progress = new Progress('Moved');
  private readonly tables: EntityMetadata[];
  private readonly isMysql: boolean;

  constructor(
    private readonly source: Snapshot,
    private readonly target: MoveTarget,
  ) {
    this.tables = target.dataSource.entityMetadatas;
    this.isMysql = target.dataSource.options.type === 'mysql';
  }

  /**
   * Returns the number of rows by table.
   * @throws OperatorError before anything is written, if there are values that the target can't keep
   */
  async run(): Promise<Map<string, number>> {
    const { problems, rows } = await findProblems(this.source, this.target.dataSource, (problem) => this.progress.print(problem));
    if (problems > 0) throw new OperatorError(`Nothing was moved: --to can't keep ${problems === 1 ? 'one value' : `${problems} values`}.`);
    this.progress.print(`The target can keep all ${rows} rows. Copying them.`);
    const sourceSums = await this.copyTables(rows);
    this.progress.print('Copied. Comparing both databases.');
    await this.compare(sourceSums);
    this.progress.clear();
    return new Map(sourceSums.map(({ rows }, index) => [this.tables[index].tableName, rows]));
  }

  private async copyTables(total: number): Promise<Checksums[]> {
    await this.target.dialect.prepareBulk(this.target.dataSource, CACHE_KIB);
    const runner = this.target.dataSource.createQueryRunner();
    try {
      // Without foreign key checks, because a row may refer to a later one, in its own or another table.
      await (this.isMysql ? runner.query('SET SESSION foreign_key_checks = 0') : runner.beforeMigration());
      const sourceSums: Checksums[] = [];
      let rowsBefore = 0;
      const update = (rows: number) => this.progress.update(rowsBefore + rows, (rowsBefore + rows) / total);
      for (const table of this.tables) {
        const copied = await this.copy(table, runner, update);
        rowsBefore += copied.rows;
        sourceSums.push(copied);
      }
      await this.keepIds();
      return sourceSums;
    } finally {
      await runner.release();
    }
  }

  private async copy(table: EntityMetadata, runner: QueryRunner, update: (rows: number) => void): Promise<Checksums> {
    await runner.startTransaction();
    await runner.query(`${this.isMysql ? 'TRUNCATE TABLE' : 'DELETE FROM'} ${this.quote(table.tableName)}`);
    await runner.commitTransaction();
    const columns = table.columns.map(({ databaseName }) => this.quote(databaseName));
    const sums = new Checksums(table);
    const source = this.source.rows(selectAll(table, this.source))[Symbol.asyncIterator]();
    for (let isDone = false; !isDone;) {
      await runner.startTransaction();
      for (let statement = 0; statement < STATEMENTS_PER_TRANSACTION && !isDone; statement++) {
        const rows: RowValues[] = [];
        const start = sums.bytes;
        while (rows.length < ROWS_PER_STATEMENT && sums.bytes - start < BYTES_PER_STATEMENT && !isDone) {
          const { value, done } = await source.next();
          if (done) isDone = true;
          else rows.push(mapTimes(sums.add(value), this.isMysql ? [] : sums.timeColumns, this.source.timeForSqlite));
        }
        if (rows.length > 0) await this.target.dialect.insert(runner.manager, this.quote(table.tableName), columns, rows, '');
      }
      await runner.commitTransaction();
      update(sums.rows);
    }
    return sums.finish();
  }

  private async compare(sourceSums: readonly Checksums[]): Promise<void> {
    const copy = await this.target.open();
    try {
      for (const [index, table] of this.tables.entries()) {
        const sums = new Checksums(table);
        for await (const row of copy.rows(selectAll(table, copy))) sums.add(row);
        const difference = firstDifference(sourceSums[index], sums.finish());
        if (difference) throw new OperatorError(`${table.tableName} differs in the copy, ${difference}.`);
      }
    } finally {
      copy.close();
    }
  }

  /** Keeps ids of deleted records from being reused. */
  private async keepIds(): Promise<void> {
    const { dataSource } = this.target;
    for await (const [table, next] of this.source.rows(this.source.nextIds)) {
      if (!this.tables.some(({ tableName }) => tableName === table)) continue;
      if (this.isMysql) await dataSource.query(`ALTER TABLE ${this.quote(String(table))} AUTO_INCREMENT = ${Number(next)}`);
      else {
        await dataSource.query('DELETE FROM sqlite_sequence WHERE name = ?', [table]);
        await dataSource.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, Number(next) - 1]);
      }
    }
  }

  private quote(name: string): string {
    return this.target.dataSource.driver.escape(name);
  }
}

/** MySQL pads fractions of a second to the column's precision. */
const withoutTrailingZeros = (time: string) => time.replace(/(\.\d*?)0*$/, '$1').replace(/\.$/, '');

function mapTimes(row: RowValues, columns: readonly number[], change: (time: string) => string): RowValues {
  if (columns.length === 0) return row;
  return row.map((value, index) => (typeof value === 'string' && columns.includes(index) ? change(value) : value));
}

/** Checksums of all columns, one for each range of rows in primary-key order. */
class Checksums {
  readonly ranges: { first: string; checksum: string }[] = [];
  rows = 0;
  bytes = 0;
  /** Indexes of the columns whose values are times. */
  readonly timeColumns: number[];
  private hash: Hash;

  constructor(private readonly table: EntityMetadata) {
    this.timeColumns = [...table.columns.keys()].filter((index) =>
      [Date, 'datetime'].includes(table.columns[index].type as DateConstructor),
    );
  }

  add(row: RowValues): RowValues {
    if (this.rows % ROWS_PER_CHECKSUM === 0) {
      this.finish();
      this.ranges.push({ first: idOf(row, this.table), checksum: '' });
      this.hash = createHash('sha256');
    }
    const text = JSON.stringify(mapTimes(row, this.timeColumns, withoutTrailingZeros));
    this.hash.update(text);
    this.bytes += text.length;
    this.rows++;
    return row;
  }

  finish(): this {
    const last = this.ranges.at(-1);
    if (last) last.checksum = this.hash.digest('hex');
    return this;
  }
}

function firstDifference(from: Checksums, to: Checksums): string | undefined {
  if (from.rows !== to.rows) return `which has ${to.rows} of ${from.rows} rows`;
  const index = from.ranges.findIndex(({ checksum }, position) => checksum !== to.ranges[position].checksum);
  return index < 0 ? undefined : `in the ${ROWS_PER_CHECKSUM} rows from ${from.ranges[index].first}`;
}
