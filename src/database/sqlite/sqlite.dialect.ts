import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, DataSourceOptions, EntityManager, MigrationExecutor } from 'typeorm';
import {
  type RowValues,
  Dialect,
  driverError,
  executorOn,
  type NamedRow,
  type EntityWork,
  type Values,
  type Work,
  type WriteResult,
} from '../dialect';
import { IntegerList } from '../../common/integer-list';
import { SqliteConnections } from './connections';
import { SqliteDataSource } from './data-source';
import type { SqliteTransaction } from './transaction';
import type { WriterLimits } from './writer';

const ROWS_A_TURN = 10_000;
const BULK_CACHE_KIBIBYTES = 128 * 1_024;
const BULK_LOG_PAGES = 65_536;

/** The embedded database: one file, one process that serves, and the command line beside it. */
export class SqliteDialect extends Dialect {
  readonly connection: DataSourceOptions;
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  private readonly connections: SqliteConnections;

  constructor(file: string, limits?: WriterLimits) {
    super();
    this.connections = new SqliteConnections(file, limits);
    this.connection = this.connections.options;
  }

  createDataSource(options: DataSourceOptions): DataSource {
    return new SqliteDataSource(options, this.connections);
  }

  ofAccount(accountId: number): { sql: string; values: Values } {
    return { sql: 'account_id = ?', values: [accountId] };
  }

  transaction<T>(dataSource: DataSource, work: EntityWork<T>): Promise<T> {
    return dataSource.transaction(async (manager) => {
      const transaction = (await manager.queryRunner!.connect()) as SqliteTransaction;
      return work(manager, transaction);
    });
  }

  statementTransaction<T>(_dataSource: DataSource, work: Work<T>): Promise<T> {
    return this.connections.writer.transaction(work);
  }

  // Foreign keys can be switched only outside a transaction, and a migration that rebuilds a table needs them off.
  async withMigrationLock(dataSource: DataSource, work: (executor: MigrationExecutor) => Promise<void>): Promise<void> {
    const runner = dataSource.createQueryRunner();
    await runner.beforeMigration();
    try {
      await runner.startTransaction();
      await work(executorOn(dataSource, runner));
      await runner.commitTransaction();
    } finally {
      await runner.release();
      await runner.afterMigration();
    }
  }

  read(sql: string, values: Values): Promise<RowValues[]> {
    return this.connections.reader.read(sql, values);
  }

  readNamed(sql: string, values: Values): Promise<NamedRow[]> {
    return this.connections.reader.readNamed(sql, values);
  }

  write(sql: string, values: Values): Promise<WriteResult> {
    return this.connections.writer.transaction((transaction) => transaction.write(sql, values));
  }

  readIntegers(sql: string, values: Values): Promise<IntegerList> {
    return this.connections.readOnOwnConnection(async (database) => {
      const integers = new IntegerList();
      let rows = 0;
      for (const [integer] of database
        .prepare(sql)
        .raw()
        .iterate(...values) as Iterable<[number]>) {
        integers.add(integer);
        if (++rows % ROWS_A_TURN === 0) await nextTurn();
      }
      return integers;
    });
  }

  // In the 2 MB of the default, pages of the indexes go to the disk and back many times in a transaction; and from a log of
  // 4 MB, the default, all that a batch has changed is written into the file after each.
  prepareBulk(): Promise<void> {
    this.connections.writer.database.pragma(`cache_size = -${BULK_CACHE_KIBIBYTES}`);
    this.connections.writer.database.pragma(`wal_autocheckpoint = ${BULK_LOG_PAGES}`);
    return Promise.resolve();
  }

  // Row by row: while a statement of many rows runs, SQLite keeps each page that it changes as it was, to undo it by: an
  // import takes a fifth longer.
  insert(_manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], ending: string): Promise<void> {
    const marks = columns.map(() => '?').join(', ');
    const statement = this.connections.writer.database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ${ending}`);
    for (const row of rows) statement.run(row);
    return Promise.resolve();
  }

  onDuplicate(key: string): string {
    return `ON CONFLICT (${key}) DO UPDATE SET`;
  }

  onConflict(id: string, columns: readonly string[]): string {
    return `${this.onDuplicate(id)} ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  }

  // In the write-ahead log a reader waits for no writer; the schema is read, for a statement without a table reads nothing.
  isServing(): Promise<boolean> {
    return Promise.resolve(this.connections.isReadable());
  }

  isUniqueViolation(error: unknown): boolean {
    return /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(String(driverError(error).code));
  }

  /** Its transactions take turns: none of them is undone for the sake of another. */
  isRolledBack(): boolean {
    return false;
  }

  isDisconnected(): boolean {
    return false;
  }

  isLockTimeout(): boolean {
    return false;
  }

  isUnavailable(error: unknown): boolean {
    return /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/.test(String(driverError(error).code));
  }
}
