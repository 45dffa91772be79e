import Libsql from 'libsql';
import { DataSource, type DataSourceOptions, type EntityManager, type QueryRunner } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { IntegerQueue } from '../../common/integer-queue';
import {
  Dialect,
  driverError,
  type ErrorKind,
  executorOn,
  IN_TRANSACTION,
  type List,
  type MigrationWork,
  type RowValues,
  type SqlExecutor,
  SqlGrammar,
  type Value,
  type Values,
  withSafeSubscribers,
  type StatementWork,
} from '../dialect';
import { parentsOf } from '../foreign-keys';
import { ListSizes } from '../lists/list-memory';
import { DatabaseFile } from './database-file';
import { restrictAccess } from './file-access';
import { SqliteQueryRunner } from './query-runner';
import type { ThreadQuery } from './reader-thread';
import { ReaderThreads } from './reader-threads';
import { SqliteStatements } from './statements';
import { type SqliteTransaction, SqliteWriter, type WriterLimits } from './writer';

/** Above this many records, a read may take longer than the 0.1 ms of passing it to a thread. */
const MAX_INLINE_RECORDS = 2_000;
const BULK_CACHE_KIB = 128 * 1_024;
const BULK_WAL_PAGES = 65_536;

/** 32 MB of WAL. A commit checkpoints by itself only if the thread's checkpoints fall behind. */
const AUTO_CHECKPOINT_PAGES = 8_192;

/** 64 MB of WAL; above this, a checkpoint runs without other reads: SQLite restarts the WAL only when all of it is copied and no read uses it. */
const MAX_WAL_PAGES = 16_384;
const PASSIVE_CHECKPOINT: ThreadQuery = { sql: 'PRAGMA wal_checkpoint(PASSIVE)', values: [], shape: 'rows' };
const CHECKPOINT_TIMEOUT_MS = 1_000;

export const WRITER_LIMITS: WriterLimits = { timeoutMs: 5_000, idleMs: 30_000 };

/** SQLite has one writer, so nothing is locked or sharded. */
class SqliteGrammar extends SqlGrammar {
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly shard = '0';
  readonly referencesQuery = `SELECT tables.name, key."from" FROM sqlite_master tables, pragma_foreign_key_list(tables.name) key
    WHERE tables.type = 'table' AND key."table" = ?`;
  wrapForUnion = (select: string) => `SELECT * FROM (${select})`;
  forceIndex = (name: string) => `INDEXED BY ${name}`;
  equals = (column: string, value: number) => ({ sql: `${column} = ?`, values: [value] });
  isAfter = (columns: readonly [string, string], values: readonly [Value, Value]) => ({ sql: `(${columns.join(', ')}) > (?, ?)`, values });
  contains = (column: string) => `INSTR(${column}, ?) > 0`;
  upsertPrefix = (key: string) => `ON CONFLICT (${key}) DO UPDATE SET`;
  insertedValue = (column: string) => `excluded.${column}`;
}

/** The embedded database: one file, for one service process and the command line. */
export class SqliteDialect extends Dialect {
  readonly sql = new SqliteGrammar();
  readonly exposesUnflushedCommits = false;
  /** TypeORM opens the main connection with these options; `prepareDatabase` then opens the writer's. */
  readonly dataSourceOptions: DataSourceOptions;
  private dataSource: DataSource;
  /** Never in a transaction, so it sees committed rows. */
  private mainConnection: Libsql.Database;
  /** Runs statements on the main connection. */
  private reader: SqliteStatements;
  private writer: SqliteWriter;
  private readonly databaseFile: DatabaseFile;
  /** For statements that would block the event loop, because the driver is synchronous. */
  private readonly threads: ReaderThreads;
  private readonly sizes = new ListSizes(this, MAX_INLINE_RECORDS);

  constructor(
    private readonly file: string,
    limits = WRITER_LIMITS,
  ) {
    super();
    restrictAccess(file);
    this.databaseFile = new DatabaseFile(file);
    this.threads = new ReaderThreads(this.databaseFile);
    this.dataSourceOptions = {
      type: 'better-sqlite3',
      driver: Libsql,
      database: file,
      timeout: limits.timeoutMs,
      statementCacheSize: 0, // a query runner switches between connections
      prepareDatabase: (database: Libsql.Database) => {
        this.databaseFile.open();
        database.pragma('journal_mode = WAL');
        this.mainConnection = setUp(database);
        this.reader = new SqliteStatements(database, this.clock);
        const writeConnection = setUp(new Libsql(file));
        writeConnection.pragma(`wal_autocheckpoint = ${AUTO_CHECKPOINT_PAGES}`);
        this.writer = new SqliteWriter(writeConnection, this.databaseFile, limits, () => void this.checkpointInThread(), this.clock);
      },
    };
  }

  /** A data source whose query runners are isolated from each other, as with a pool. */
  createDataSource(options: DataSourceOptions): DataSource {
    const dataSource = (this.dataSource = new DataSource(options));
    const driver = dataSource.driver as BetterSqlite3Driver;
    driver.createQueryRunner = () => withSafeSubscribers(new SqliteQueryRunner(driver, this.writer));
    const disconnect = driver.disconnect.bind(driver);
    driver.disconnect = async () => {
      await this.threads.end();
      await disconnect();
      this.writer.database.close();
      this.databaseFile.close();
    };
    return dataSource;
  }

  /** Copies the whole WAL into the main file and empties it, waiting for other processes' transactions. @throws Error on timeout */
  override readonly checkpoint = () => {
    this.databaseFile.requireInPlace(); // otherwise, libsql would create a file
    const [{ busy }] = new Libsql(this.file, { timeout: CHECKPOINT_TIMEOUT_MS }).pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    if (busy) throw new Error('Another process is reading or writing.');
  };

  // Never waits: in WAL mode, readers don't wait for writers. Prepares a new statement, because a prepared one works even on a closed connection.
  isServing(): Promise<boolean> {
    try {
      this.mainConnection.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
      return Promise.resolve(this.databaseFile.isIntact());
    } catch {
      return Promise.resolve(false);
    }
  }

  async version(): Promise<string> {
    const [[version]] = await this.read('SELECT sqlite_version()', []);
    return `SQLite ${version}`;
  }

  async read<R extends RowValues>(sql: string, values: Values, list?: List): Promise<R[]> {
    const isLong = list && (list.accountId === null || list.hasLongTexts || (await this.sizes.isLarge(list)));
    return isLong ? ((await this.threads.read(list.accountId, { sql, values, shape: 'rows' })) as R[]) : this.reader.read(sql, values);
  }

  async readIntegers(sql: string, values: Values, { accountId }: List): Promise<IntegerQueue> {
    const integers = await this.threads.read(accountId, { sql, values, shape: 'integers' });
    return new IntegerQueue(integers as Int32Array<ArrayBuffer>);
  }

  statementTransaction<T>(work: StatementWork<T>): Promise<T> {
    return this.writer.transaction(work);
  }

  statementsOf(manager: EntityManager): Promise<SqliteTransaction> {
    return manager.queryRunner!.connect() as Promise<SqliteTransaction>;
  }

  join(dataSource: DataSource, statements: SqlExecutor): QueryRunner {
    return Object.assign(dataSource.createQueryRunner(), { transaction: statements, ...IN_TRANSACTION });
  }

  // A migration that rebuilds a table needs foreign keys off, as beforeMigration() requests. They can't be switched within a transaction.
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

  // With the default cache of 2 MB, index pages are written and reread many times per transaction. A WAL of 256 MB instead of 32 needs
  // fewer checkpoints.
  prepareBulk(_?: DataSource, cacheKib = BULK_CACHE_KIB): Promise<void> {
    this.writer.database.pragma(`cache_size = -${cacheKib}`);
    this.writer.database.pragma(`wal_autocheckpoint = ${BULK_WAL_PAGES}`);
    return Promise.resolve();
  }

  // Row by row, because SQLite journals each page that a multi-row statement changes, and an import would take 20% longer.
  insert(_manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], suffix: string): Promise<void> {
    const placeholders = columns.map(() => '?').join(', ');
    const statement = this.writer.database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders}) ${suffix}`);
    for (const row of rows) statement.run(row);
    return Promise.resolve();
  }

  /** Ignores this process's writes that bypass TypeORM, because `countChanges` counts those. */
  changeMarker = (tables: readonly string[]) => this.writer.changeMarker([...tables, ...parentsOf(this.dataSource, tables)]);

  // Transactions run one at a time, so none is rolled back in favor of another: the kind `rolled back` never occurs.
  errorKind(error: unknown): ErrorKind | undefined {
    const { code: given, message = '' } = driverError(error);
    const code = String(given);
    if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code)) return 'duplicate';
    if (/^SQLITE_CONSTRAINT_(FOREIGNKEY|TRIGGER)$/.test(code) && /^FOREIGN KEY/.test(message)) return 'referenced'; // RESTRICT reports a trigger's code
    return /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/.test(code) ? 'unavailable' : undefined;
  }

  /** Runs in a thread, because a checkpoint writes randomly and waits for the disk. Frames written in the meantime are left to the next checkpoint. */
  private async checkpointInThread(): Promise<void> {
    try {
      this.databaseFile.requireInPlace();
      const [[, logged, copied]] = (await this.threads.read(null, PASSIVE_CHECKPOINT)) as [[busy: number, logged: number, copied: number]];
      if (logged > MAX_WAL_PAGES && copied < logged) await this.threads.read(null, PASSIVE_CHECKPOINT, true);
    } catch {
      // A later commit requests another checkpoint.
    }
  }
}

function setUp(database: Libsql.Database): Libsql.Database {
  database.pragma('synchronous = FULL');
  database.pragma('busy_timeout = 0'); // SQLite's own waiting blocks the process; the writer waits instead
  database.pragma('foreign_keys = ON');
  return database;
}
