import type { DataSource, DataSourceOptions, EntityManager } from 'typeorm';
import { IntegerQueue } from '../../common/integer-queue';
import {
  type Comparison,
  Dialect,
  driverError,
  type ErrorKind,
  executorOn,
  type List,
  type MigrationWork,
  type NamedRow,
  type RowValues,
  type Value,
  type Values,
  type Work,
} from '../dialect';
import { ListSizes } from '../lists/list-sizes';
import { SqliteConnections } from './connections';
import type { SqliteTransaction, WriterLimits } from './writer';

/** Reading more records than these may take longer than handing the statement to a thread, which takes 0.1 ms. */
const MAX_INLINE = 2_000;
const BULK_CACHE_KIB = 128 * 1_024;
const BULK_LOG_PAGES = 65_536;

/** The embedded database: one file, for one service process and the command line. */
export class SqliteDialect extends Dialect {
  readonly dataSourceOptions: DataSourceOptions;
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly shard = '0'; // there is one writer
  private readonly connections: SqliteConnections;
  private readonly sizes = new ListSizes(this, MAX_INLINE);

  constructor(file: string, limits?: WriterLimits) {
    super();
    this.connections = new SqliteConnections(file, limits);
    this.dataSourceOptions = this.connections.options;
  }

  createDataSource = (options: DataSourceOptions) => this.connections.createDataSource(options);
  override readonly checkpoint = () => this.connections.checkpoint();
  isServing = () => Promise.resolve(this.connections.isReadable()); // in WAL mode, readers never wait for writers

  async version(): Promise<string> {
    const [[version]] = await this.read('SELECT sqlite_version()', []);
    return `SQLite ${version}`;
  }

  read<R extends RowValues>(sql: string, values: Values, list?: List): Promise<R[]> {
    return list ? this.readList('rows', sql, values, list) : this.connections.reader.read(sql, values);
  }

  readNamed(sql: string, values: Values, list?: List): Promise<NamedRow[]> {
    return list ? this.readList('named', sql, values, list) : this.connections.reader.readNamed(sql, values);
  }

  async readIntegers(sql: string, values: Values, { accountId }: List): Promise<IntegerQueue> {
    const integers = await this.connections.threads.read(accountId, { sql, values, shape: 'integers' });
    return new IntegerQueue(integers as Int32Array<ArrayBuffer>);
  }

  statementTransaction<T>(work: Work<T>): Promise<T> {
    return this.connections.writer.transaction(work);
  }

  statementsOf(manager: EntityManager): Promise<SqliteTransaction> {
    return manager.queryRunner!.connect() as Promise<SqliteTransaction>;
  }

  // A migration that rebuilds a table needs foreign keys off, which can be set only outside a transaction.
  async withMigrationLock<T>(dataSource: DataSource, work: MigrationWork<T>): Promise<T> {
    const runner = dataSource.createQueryRunner();
    await runner.beforeMigration();
    try {
      await runner.startTransaction();
      const result = await work(executorOn(dataSource, runner));
      await runner.commitTransaction();
      return result;
    } finally {
      await runner.release();
    }
  }

  // With the default cache of 2 MB, index pages are written and reread many times per transaction; with the default log of 4 MB,
  // a checkpoint follows every batch.
  prepareBulk(): Promise<void> {
    this.connections.writer.database.pragma(`cache_size = -${BULK_CACHE_KIB}`);
    this.connections.writer.database.pragma(`wal_autocheckpoint = ${BULK_LOG_PAGES}`);
    return Promise.resolve();
  }

  // Row by row: for a multi-row statement SQLite journals each page it changes, and an import takes 20% longer.
  insert(_manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], suffix: string): Promise<void> {
    const marks = columns.map(() => '?').join(', ');
    const statement = this.connections.writer.database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ${suffix}`);
    for (const row of rows) statement.run(row);
    return Promise.resolve();
  }

  equals(column: string, value: number): Comparison {
    return { sql: `${column} = ?`, values: [value] };
  }

  isAfter(columns: readonly [string, string], values: readonly [Value, Value]): Comparison {
    return { sql: `(${columns.join(', ')}) > (?, ?)`, values: [...values] };
  }

  contains(column: string): string {
    return `INSTR(${column}, ?) > 0`;
  }

  /** Of the whole file. Leaves out what this process writes without TypeORM, which counts its changes. */
  changeMarker = () => this.connections.writer.changeMarker();

  forceIndex(name: string): string {
    return `INDEXED BY ${name}`;
  }

  upsertPrefix(key: string): string {
    return `ON CONFLICT (${key}) DO UPDATE SET`;
  }

  upsertClause(id: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(id)} ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  }

  upsertSums(key: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(key)} ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
  }

  // Transactions run one at a time: none is rolled back in favor of another.
  errorKind(error: unknown): ErrorKind | undefined {
    const code = String(driverError(error).code);
    if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code)) return 'duplicate';
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return 'referenced';
    return /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/.test(code) ? 'unavailable' : undefined;
  }

  private async readList<Row extends RowValues | NamedRow>(
    shape: 'rows' | 'named',
    sql: string,
    values: Values,
    list: List,
  ): Promise<Row[]> {
    const { reader, threads } = this.connections;
    const known = list.accountId === null || this.sizes.isLarge(list);
    const isLarge = typeof known === 'boolean' ? known : await known;
    if (isLarge) return (await threads.read(list.accountId, { sql, values, shape })) as Row[];
    return (shape === 'rows' ? reader.read(sql, values) : reader.readNamed(sql, values)) as Promise<Row[]>;
  }
}
