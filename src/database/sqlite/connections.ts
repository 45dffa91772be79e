import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import type { DataSourceOptions } from 'typeorm';
import { SqliteStatements } from './statements';
import { SqliteWriter, type WriterLimits } from './writer';

export const LIMITS: WriterLimits = { waitMilliseconds: 5_000, idleMilliseconds: 30_000 };

/** The connections of this process to the file. */
export class SqliteConnections {
  /** How TypeORM opens the first of them, with which the others come and go. */
  readonly options: DataSourceOptions;
  /** On TypeORM's own connection. No transaction is ever opened on that: it reads what is committed. */
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
      timeout: limits.waitMilliseconds,
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

  /**
   * Reads on a connection that nobody else uses meanwhile: as long as one statement is open, all others of its connection
   * see the database as it was when that one began.
   */
  async readOnOwnConnection<T>(work: (database: Libsql.Database) => Promise<T>): Promise<T> {
    const database = this.idle.pop() ?? this.open();
    const result = await work(database); // one whose statement has failed is left to the garbage collector
    this.idle.push(database);
    return result;
  }

  /** Whether the file can be read, whoever writes. By a new statement: a prepared one answers after the connection is closed. */
  isReadable(): boolean {
    try {
      this.main.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
      return true;
    } catch {
      return false;
    }
  }

  /** Closes those that TypeORM doesn't know. */
  close(): void {
    for (const database of [this.writer.database, ...this.idle.splice(0)]) database.close();
  }

  private open(): Libsql.Database {
    const database = new Libsql(this.file);
    setUp(database);
    database.pragma('foreign_keys = ON');
    return database;
  }
}

function setUp(database: Libsql.Database): void {
  database.pragma('synchronous = FULL');
  database.pragma('busy_timeout = 0'); // `whenFree` waits: SQLite's own waiting holds the whole process
}
