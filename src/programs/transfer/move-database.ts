import { createHash, type Hash } from 'node:crypto';
import type { DataSource, EntityMetadata } from 'typeorm';
import { OperatorError } from '../../auth/accounts/accounts.service';
import type { Dialect, RowValues } from '../../platform/database/dialect';
import { referringFirst } from '../../platform/database/foreign-keys';
import { Progress } from './import-task';
import type { Snapshot } from './snapshot';

/** Rows and bytes per statement, far below MySQL's max_allowed_packet; statements per transaction. */
const ROWS = 250;
const BYTES = 1024 * 1024;
const STATEMENTS = 40;
/** Rows per checksum. */
const RANGE = 10_000;
const MAX_PROBLEMS = 100;
const INTEGERS: Record<string, number> = { tinyint: 2 ** 7, smallint: 2 ** 15, mediumint: 2 ** 23, int: 2 ** 31, integer: 2 ** 31 };
const MAX_TEXT_BYTES: Record<string, number> = { text: 65_535, mediumtext: 2 ** 24 - 1 };
/** Column types whose values every driver takes and returns alike. */
const CARRIED = /^(?:varchar|char|(?:medium|long)?text|(?:tiny|small|medium|big)?int|integer|double|boolean)$/;

type ColumnMetadata = EntityMetadata['columns'][number];

interface Target {
  dataSource: DataSource;
  dialect: Dialect;
  /** Opens a second view of the target, to compare it with the source. */
  open(): Promise<Snapshot>;
}

/** Copies every table of a snapshot to an empty database of the same schema, and compares the two. */
export class DatabaseMove {
  private readonly progress = new Progress('Moved');
  /** Each after those it references. */
  private readonly tables: EntityMetadata[];

  constructor(
    private readonly source: Snapshot,
    private readonly target: Target,
  ) {
    this.tables = referringFirst(target.dataSource.entityMetadatas).toReversed();
  }

  /**
   * Returns the number of rows by table. `finish` runs once the copy is known to be the same.
   * @throws OperatorError before anything is written for what the target can't keep
   */
  async run(finish?: () => Promise<void>): Promise<Map<string, number>> {
    const { dataSource } = this.target;
    await this.check();
    await this.target.dialect.prepareBulk(dataSource);
    for (const { tableName } of this.tables.toReversed()) await dataSource.query(`DELETE FROM ${this.name(tableName)}`);
    const moved: Checksums[] = [];
    for (const table of this.tables) moved.push(await this.copy(table));
    await this.keepIds();
    await this.compare(moved);
    this.progress.clear();
    await finish?.();
    return new Map(moved.map(({ rows }, index) => [this.tables[index].tableName, rows]));
  }

  private async check(): Promise<void> {
    let count = 0;
    const report = (problem: string) => ++count <= MAX_PROBLEMS && this.progress.print(problem);
    for await (const [table] of this.source.rows(this.source.tables))
      if (table !== 'migrations' && !this.tables.some(({ tableName }) => tableName === table))
        report(`${table}: no entity describes this table.`);
    if (this.source.orphans)
      for await (const [table, id, other] of this.source.rows(this.source.orphans)) report(`${table} ${id}: names no row of ${other}.`);
    for (const table of this.tables) {
      const rules = table.columns.map((column) => ruleOf(column, table, this.target.dataSource.driver));
      for await (const row of this.source.rows(select(table, this.source.quoted)))
        for (const [index, refusal] of rules.entries()) {
          const problem = refusal(row[index]);
          if (problem) report(`${table.tableName} ${idOf(row, table)}: ${table.columns[index].databaseName} ${problem}.`);
        }
    }
    if (count > 0) throw new OperatorError(`Nothing was moved: --to can't keep ${count === 1 ? 'one value' : `${count} values`}.`);
  }

  private async copy(table: EntityMetadata): Promise<Checksums> {
    const { dataSource, dialect } = this.target;
    const columns = table.columns.map(({ databaseName }) => this.name(databaseName));
    const sums = new Checksums(table);
    const source = this.source.rows(select(table, this.source.quoted))[Symbol.asyncIterator]();
    for (let isDone = false; !isDone;)
      await dataSource.transaction(async (manager) => {
        for (let statement = 0; statement < STATEMENTS && !isDone; statement++) {
          const rows: RowValues[] = [];
          const start = sums.bytes;
          while (rows.length < ROWS && sums.bytes - start < BYTES && !isDone) {
            const { value, done } = await source.next();
            if (done) isDone = true;
            else rows.push(sums.add(value));
          }
          if (rows.length > 0) await dialect.insert(manager, this.name(table.tableName), columns, rows, '');
        }
        this.progress.update(sums.rows);
      });
    return sums.end();
  }

  private async compare(moved: readonly Checksums[]): Promise<void> {
    const copy = await this.target.open();
    try {
      for (const [index, table] of this.tables.entries()) {
        const sums = new Checksums(table);
        for await (const row of copy.rows(select(table, copy.quoted))) sums.add(row);
        const differing = firstDifference(moved[index], sums.end());
        if (differing) throw new OperatorError(`${table.tableName} differs in the copy, ${differing}.`);
      }
    } finally {
      copy.close();
    }
  }

  /** Ids of deleted records are never given again. */
  private async keepIds(): Promise<void> {
    const { dataSource } = this.target;
    const isSqlite = dataSource.options.type !== 'mysql';
    for await (const [table, next] of this.source.rows(this.source.nextIds)) {
      if (!this.tables.some(({ tableName }) => tableName === table)) continue;
      if (!isSqlite) await dataSource.query(`ALTER TABLE ${this.name(String(table))} AUTO_INCREMENT = ${Number(next)}`);
      else {
        await dataSource.query('DELETE FROM sqlite_sequence WHERE name = ?', [table]);
        await dataSource.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, Number(next) - 1]);
      }
    }
  }

  private name(name: string): string {
    return this.target.dataSource.driver.escape(name);
  }
}

function select(table: EntityMetadata, quoted: (name: string) => string): string {
  const columns = table.columns.map(({ databaseName }) => quoted(databaseName));
  const order = table.primaryColumns.map(({ databaseName }) => quoted(databaseName));
  return `SELECT ${columns.join(', ')} FROM ${quoted(table.tableName)} ORDER BY ${order.join(', ')}`;
}

/** Says why the target can't keep a value. */
type Rule = (value: RowValues[number]) => string | undefined;

/** SQLite keeps any length and size; MySQL compares text without the spaces at its end. @throws OperatorError for a type that isn't carried */
function ruleOf(column: ColumnMetadata, table: EntityMetadata, driver: DataSource['driver']): Rule {
  const type = driver.normalizeType(column);
  if (!CARRIED.test(type) || column.transformer)
    throw new OperatorError(`A move can't carry ${table.tableName}.${column.databaseName}, of the type ${type}.`);
  const isMysql = driver.options.type === 'mysql';
  const [length, bytes] = [Number(driver.getColumnLength(column)) || Infinity, MAX_TEXT_BYTES[type] ?? Infinity];
  const limit = INTEGERS[type] ?? Infinity;
  const isUnique = column.isPrimary || table.indices.some((index) => index.isUnique && index.columns.includes(column));
  return (value) => {
    if (typeof value === 'object' && value !== null) return 'is binary';
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'is an integer of more than 53 bits';
    if (!isMysql) return undefined;
    if (typeof value === 'number') return value < -limit || value >= limit ? 'is too large' : undefined;
    if (typeof value !== 'string') return undefined;
    if (value.length > length && Array.from(value).length > length) return `has more than ${length} characters`;
    if (Buffer.byteLength(value) > bytes) return 'has too many bytes';
    return isUnique && value.endsWith(' ') ? 'ends in a space' : undefined;
  };
}

function idOf(row: RowValues, { columns, primaryColumns }: EntityMetadata): string {
  return primaryColumns.map((column) => row[columns.indexOf(column)]).join(' ');
}

/** Of all columns of each RANGE of rows, by primary key. */
class Checksums {
  readonly ranges: { first: string; checksum: string }[] = [];
  rows = 0;
  bytes = 0;
  private hash: Hash;

  constructor(private readonly table: EntityMetadata) {}

  add(row: RowValues): RowValues {
    if (this.rows % RANGE === 0) {
      this.end();
      this.ranges.push({ first: idOf(row, this.table), checksum: '' });
      this.hash = createHash('sha256');
    }
    const text = JSON.stringify(row);
    this.hash.update(text);
    this.bytes += text.length;
    this.rows++;
    return row;
  }

  end(): this {
    const last = this.ranges.at(-1);
    if (last) last.checksum = this.hash.digest('hex');
    return this;
  }
}

function firstDifference(from: Checksums, to: Checksums): string | undefined {
  if (from.rows !== to.rows) return `which has ${to.rows} of ${from.rows} rows`;
  const index = from.ranges.findIndex(({ checksum }, position) => checksum !== to.ranges[position].checksum);
  return index < 0 ? undefined : `in the ${RANGE} rows from ${from.ranges[index].first}`;
}
