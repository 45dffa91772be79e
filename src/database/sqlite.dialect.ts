import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Libsql from 'libsql';
import { type DataSource, type DataSourceOptions, type EntityManager, QueryFailedError } from 'typeorm';
import { type Cells, Dialect, driverError, type NamedCells, type Statements, type Values, type Work, type Written } from './dialect';
import { IntegerList } from './integer-list';
import { BUSY_MILLISECONDS, immediately, takingTurns, whenFree } from './sqlite-lock';

const ROWS_A_TURN = 10_000;
const MOST_PREPARED = 64;
const BULK_CACHE_KIBIBYTES = 128 * 1_024;
const BULK_LOG_PAGES = 65_536;

/** The embedded database: one file, one process that serves, and the command line beside it. */
export class SqliteDialect extends Dialect {
  readonly connection: DataSourceOptions;
  readonly orderedJoin = 'CROSS JOIN';
  private readonly inTurn = takingTurns();
  private readonly prepared = new Map<string, Libsql.Statement>();
  private database: Libsql.Database;

  constructor(file: string) {
    super();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.connection = {
      type: 'better-sqlite3',
      driver: Libsql,
      database: file,
      timeout: BUSY_MILLISECONDS,
      prepareDatabase: (database: Libsql.Database) => {
        this.database = database;
        database.pragma('journal_mode = WAL');
        database.pragma('synchronous = FULL');
        database.pragma('busy_timeout = 0'); // from here on `whenFree` waits: SQLite's own waiting holds the whole process
      },
    };
  }

  ofAccount(accountId: number): { sql: string; values: Values } {
    return { sql: 'account_id = ?', values: [accountId] };
  }

  // TypeORM has one SQLite connection for the whole process and nests a second transaction in the first, so that rolling
  // one back would lose the other's rows: they take turns.
  transaction<T>(dataSource: DataSource, work: Work<T>): Promise<T> {
    const statements: Statements = {
      read: (sql, values) => this.read(sql, values),
      write: (sql, values) => this.run(sql, values),
    };
    return this.inTurn(() => immediately(dataSource, () => work(dataSource.manager, statements)));
  }

  // Foreign keys can be switched only outside a transaction, and a migration that rebuilds a table needs them off.
  async withMigrationLock(dataSource: DataSource, work: () => Promise<void>): Promise<void> {
    await dataSource.query('PRAGMA foreign_keys = OFF');
    try {
      await immediately(dataSource, work);
    } finally {
      await dataSource.query('PRAGMA foreign_keys = ON');
    }
  }

  read(sql: string, values: Values): Promise<Cells[]> {
    return this.all(sql, values, true) as Promise<Cells[]>;
  }

  readNamed(sql: string, values: Values): Promise<NamedCells[]> {
    return this.all(sql, values, false) as Promise<NamedCells[]>;
  }

  write(sql: string, values: Values): Promise<Written> {
    return this.inTurn(() => whenFree(() => this.run(sql, values)));
  }

  async readIntegers(sql: string, values: Values): Promise<Int32Array> {
    const integers = new IntegerList();
    let rows = 0;
    for (const [integer] of this.database
      .prepare(sql)
      .raw()
      .iterate(...values) as Iterable<[number]>) {
      integers.add(integer);
      if (++rows % ROWS_A_TURN === 0) await nextTurn();
    }
    return integers.toArray();
  }

  // In the 2 MB of the default, pages of the indexes go to the disk and back many times in a transaction; and from a log of
  // 4 MB, the default, all that a batch has changed is written into the file after each.
  async prepareBulk(dataSource: DataSource): Promise<void> {
    await dataSource.query(`PRAGMA cache_size = -${BULK_CACHE_KIBIBYTES}`);
    await dataSource.query(`PRAGMA wal_autocheckpoint = ${BULK_LOG_PAGES}`);
  }

  // Row by row: while a statement of many rows runs, SQLite keeps each page that it changes as it was, to undo it by: an
  // import takes a fifth longer.
  insert(_manager: EntityManager, table: string, columns: readonly string[], rows: Cells[], ending: string): Promise<void> {
    const marks = columns.map(() => '?').join(', ');
    const statement = this.database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ${ending}`);
    for (const row of rows) statement.run(row);
    return Promise.resolve();
  }

  onConflict(id: string, columns: readonly string[]): string {
    return `ON CONFLICT (${id}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  }

  isUniqueViolation(error: unknown): boolean {
    return /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(String(driverError(error).code));
  }

  isUnavailable(error: unknown): boolean {
    return /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/.test(String(driverError(error).code));
  }

  private all(sql: string, values: Values, asArrays: boolean): Promise<unknown[]> {
    try {
      return Promise.resolve(
        this.prepare(sql)
          .raw(asArrays)
          .all(...values),
      );
    } catch (error) {
      return Promise.reject(new QueryFailedError(sql, [], error as Error));
    }
  }

  private run(sql: string, values: Values): Promise<Written> {
    const numbers = values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    try {
      const { lastInsertRowid, changes } = this.prepare(sql).run(...numbers);
      return Promise.resolve({ id: Number(lastInsertRowid), affected: changes });
    } catch (error) {
      return Promise.reject(new QueryFailedError(sql, [], error as Error));
    }
  }

  private prepare(sql: string): Libsql.Statement {
    let statement = this.prepared.get(sql);
    if (!statement) {
      if (this.prepared.size >= MOST_PREPARED) this.prepared.clear();
      statement = this.database.prepare(sql);
      this.prepared.set(sql, statement);
    }
    return statement;
  }
}
