import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { SqliteQueryRunner } from './query-runner';
import { SqliteStatements } from './statements';
import { SqliteWriter, type WriterLimits } from './writer';

export const LIMITS: WriterLimits = { timeoutMs: 5_000, idleMs: 30_000 };

/** This process's connections to the database file. */
export class SqliteConnections {
  /** TypeORM opens the main connection with these, and the others follow. */
  readonly options: DataSourceOptions;
  /** Reads on the main connection, which is never in a transaction: it sees what is committed. */
  reader: SqliteStatements;
  writer: SqliteWriter;
  private main: Libsql.Database;
  private readonly idle: Libsql.Database[] = [];

  constructor(
    private readonly file: string,
    limits = LIMITS,
  ) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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
        this.writer = new SqliteWriter(this.open(), limits);
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
      await disconnect();
      for (const database of [this.writer.database, ...this.idle.splice(0)]) database.close();
    };
    return dataSource;
  }

  /**
   * While a statement is open, every other statement on that connection sees the same snapshot, so a long-running one needs its
   * own connection.
   */
  async readOnOwnConnection<T>(work: (database: Libsql.Database) => Promise<T>): Promise<T> {
    const database = this.idle.pop() ?? this.open();
    const result = await work(database); // after a failure, left to the garbage collector
    this.idle.push(database);
    return result;
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

  private open(): Libsql.Database {
    const database = new Libsql(this.file);
    setUp(database);
    return database;
  }
}

function setUp(database: Libsql.Database): void {
  database.pragma('synchronous = FULL');
  database.pragma('busy_timeout = 0'); // SQLite's own waiting blocks the process; the writer waits instead
  database.pragma('foreign_keys = ON');
}
