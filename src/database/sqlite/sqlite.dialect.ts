import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, DataSourceOptions, EntityManager } from 'typeorm';
import { IntegerQueue } from '../../common/integer-queue';
import {
  type Comparison,
  Dialect,
  driverError,
  type ErrorKind,
  executorOn,
  type MigrationWork,
  type RowValues,
  type Value,
  type Values,
  type Work,
} from '../dialect';
import { SqliteConnections } from './connections';
import { toBound } from './parameter-binding';
import type { SqliteTransaction } from './transaction';
import type { WriterLimits } from './writer';

const ROWS_PER_TURN = 10_000;
const BULK_CACHE_KIB = 128 * 1_024;
const BULK_LOG_PAGES = 65_536;

/** The embedded database: one file, for one service process and the command line. */
export class SqliteDialect extends Dialect {
  readonly dataSourceOptions: DataSourceOptions;
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  private readonly connections: SqliteConnections;

  constructor(file: string, limits?: WriterLimits) {
    super();
    this.connections = new SqliteConnections(file, limits);
    this.dataSourceOptions = this.connections.options;
  }

  createDataSource = (options: DataSourceOptions) => this.connections.createDataSource(options);
  isServing = () => Promise.resolve(this.connections.isReadable()); // in WAL mode, readers never wait for writers
  read: Dialect['read'] = (sql, values) => this.connections.reader.read(sql, values);
  readNamed: Dialect['readNamed'] = (sql, values) => this.connections.reader.readNamed(sql, values);

  readIntegers(sql: string, values: Values): Promise<IntegerQueue> {
    return this.connections.readOnOwnConnection(async (database) => {
      const integers = new IntegerQueue();
      const statement = database.prepare(sql).raw();
      for (const [integer] of statement.iterate(toBound(values)) as Iterable<[number]>) {
        integers.add(integer);
        if (integers.length % ROWS_PER_TURN === 0) await nextTurn();
      }
      return integers;
    });
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

  compareKeys(columns: readonly [string, string], operator: '>' | '<=', values: readonly [Value, Value]): Comparison {
    return { sql: `(${columns.join(', ')}) ${operator} (?, ?)`, values: [...values] };
  }

  contains(column: string): string {
    return `INSTR(${column}, ?) > 0`;
  }

  /** Of the whole file. Leaves out what this process writes without TypeORM: only areas do, and count or date it. */
  changeMarker = () => this.connections.writer.changeMarker();

  upsertPrefix(key: string): string {
    return `ON CONFLICT (${key}) DO UPDATE SET`;
  }

  upsertClause(id: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(id)} ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  }

  // Transactions run one at a time: none is rolled back in favor of another.
  errorKind(error: unknown): ErrorKind | undefined {
    const code = String(driverError(error).code);
    if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code)) return 'duplicate';
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return 'referenced';
    return /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/.test(code) ? 'unavailable' : undefined;
  }
}
