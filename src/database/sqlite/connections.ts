import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { Logger } from '@nestjs/common';
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

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** SQLite's files, and the key file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.key'];

const logger = new Logger('Database');

/** Creates the database's file if it is missing, and restricts what is there to its owner. SQLite gives its other files the same mode. */
export function restrictAccess(file: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  createFile(file);
  for (const suffix of SUFFIXES) restrict(file + suffix);
  restrictFolder(folder, basename(file));
}

/** Never opens an existing file: closing it would release this process's locks on it (https://sqlite.org/howtocorrupt.html, 2.2). */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function restrict(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || (stats.mode & OTHERS) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    logger.warn({ message: "DATABASE_URL: other users may have access to the database's file.", path, err: error });
  }
}

function restrictFolder(folder: string, name: string): void {
  const { mode, uid } = statSync(folder);
  if ((mode & OTHERS) === 0) return;
  const own = SUFFIXES.map((suffix) => name + suffix);
  const isShared = uid !== process.getuid?.() || (mode & STICKY) !== 0 || readdirSync(folder).some((entry) => !own.includes(entry));
  if (!isShared) return chmodSync(folder, OWNER_ONLY);
  logger.warn({
    message: "DATABASE_URL: the database's folder is open to other users, and unchanged because it isn't the service's alone.",
    folder,
    mode: (mode & 0o7777).toString(8).padStart(4, '0'),
  });
}
