import Libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { restrictAccess } from './file-access';
import { SqliteQueryRunner } from './query-runner';
import type { ThreadQuery } from './reader-thread';
import { ReaderThreads } from './reader-threads';
import { SqliteStatements } from './statements';
import { SqliteWriter, type WriterLimits } from './writer';

/** 32 MB of log: a commit checkpoints only if the thread's checkpoints fall behind. */
const AUTO_CHECKPOINT_PAGES = 8_192;

/** 64 MB. SQLite starts the log over once all of it is copied, for which no read may be at work that began before its end. */
const MAX_LOG_PAGES = 16_384;

export const LIMITS: WriterLimits = { timeoutMs: 5_000, idleMs: 30_000 };
const CHECKPOINT_TIMEOUT_MS = 1_000;

/** This process's connections to the database file. */
export class SqliteConnections {
  /** TypeORM opens the main connection with these, and the others follow. */
  readonly options: DataSourceOptions;
  /** Reads on the main connection, which is never in a transaction: it sees what is committed. */
  reader: SqliteStatements;
  writer: SqliteWriter;
  /** For statements that would hold up the event loop: the driver is synchronous. */
  readonly threads: ReaderThreads;
  private main: Libsql.Database;

  constructor(
    private readonly file: string,
    limits = LIMITS,
  ) {
    restrictAccess(file);
    this.threads = new ReaderThreads(file);
    this.options = {
      type: 'better-sqlite3',
      driver: Libsql,
      database: file,
      timeout: limits.timeoutMs,
      statementCacheSize: 0, // a query runner changes its connection
      prepareDatabase: (database: Libsql.Database) => {
        database.pragma('journal_mode = WAL');
        setUp(database);
        this.main = database;
        this.reader = new SqliteStatements(database);
        this.writer = new SqliteWriter(this.open(), limits, () => void this.checkpointInThread());
      },
    };
  }

  /** A data source whose query runners are isolated from each other, as with a pool. */
  createDataSource(options: DataSourceOptions): DataSource {
    const dataSource = new DataSource(options);
    const driver = dataSource.driver as BetterSqlite3Driver;
    driver.createQueryRunner = () => new SqliteQueryRunner(driver, this.writer);
    const disconnect = driver.disconnect.bind(driver);
    driver.disconnect = async () => {
      await this.threads.end();
      await disconnect();
      this.writer.database.close();
    };
    return dataSource;
  }

  /** Prepares a new statement: an already prepared one still works on a closed connection. */
  isReadable(): boolean {
    try {
      this.main.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
      return true;
    } catch {
      return false;
    }
  }

  /** Empties the log into the file, waiting for other processes' transactions. @throws Error when it can't */
  checkpoint(): void {
    const [{ busy }] = new Libsql(this.file, { timeout: CHECKPOINT_TIMEOUT_MS }).pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    if (busy) throw new Error('Another process is reading or writing.');
  }

  /** In a thread, because it writes at random and waits for the disk. Frames written meanwhile are left to the next one. */
  private async checkpointInThread(): Promise<void> {
    const query: ThreadQuery = { sql: 'PRAGMA wal_checkpoint(PASSIVE)', values: [], shape: 'rows' };
    try {
      const [[, logged, copied]] = (await this.threads.read(null, query)) as [[busy: number, logged: number, copied: number]];
      if (logged > MAX_LOG_PAGES && copied < logged) await this.threads.readAlone(query);
    } catch {
      // The next commit asks for another one.
    }
  }

  private open(): Libsql.Database {
    const database = new Libsql(this.file);
    setUp(database);
    database.pragma(`wal_autocheckpoint = ${AUTO_CHECKPOINT_PAGES}`);
    return database;
  }
}

function setUp(database: Libsql.Database): void {
  database.pragma('synchronous = FULL');
  database.pragma('busy_timeout = 0'); // SQLite's own waiting blocks the process; the writer waits instead
  database.pragma('foreign_keys = ON');
}
