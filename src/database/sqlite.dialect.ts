import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Libsql from 'libsql';
import type { DataSource, DataSourceOptions, EntityManager } from 'typeorm';
import { type Cells, Dialect, driverError, type NamedCells, type EntityWork, type Values, type Work, type Written } from './dialect';
import { IntegerList } from './integer-list';
import { BUSY_MILLISECONDS, immediately, takingTurns, whenFree } from './sqlite-lock';
import { SqliteStatements } from './sqlite-statements';

const ROWS_A_TURN = 10_000;
const BULK_CACHE_KIBIBYTES = 128 * 1_024;
const BULK_LOG_PAGES = 65_536;

/** The embedded database: one file, one process that serves, and the command line beside it. */
export class SqliteDialect extends Dialect {
  readonly connection: DataSourceOptions;
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  private readonly inTurn = takingTurns();
  private database: Libsql.Database;
  private statements: SqliteStatements;

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
        this.statements = new SqliteStatements(database);
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
  transaction<T>(dataSource: DataSource, work: EntityWork<T>): Promise<T> {
    return this.statementTransaction(dataSource, (statements) => work(dataSource.manager, statements));
  }

  statementTransaction<T>(_dataSource: DataSource, work: Work<T>): Promise<T> {
    return this.inTurn(() => immediately(this.database, () => work(this.statements)));
  }

  // Foreign keys can be switched only outside a transaction, and a migration that rebuilds a table needs them off.
  async withMigrationLock(dataSource: DataSource, work: () => Promise<void>): Promise<void> {
    await dataSource.query('PRAGMA foreign_keys = OFF');
    try {
      await immediately(this.database, work);
    } finally {
      await dataSource.query('PRAGMA foreign_keys = ON');
    }
  }

  read(sql: string, values: Values): Promise<Cells[]> {
    return this.statements.read(sql, values);
  }

  readNamed(sql: string, values: Values): Promise<NamedCells[]> {
    return this.statements.readNamed(sql, values);
  }

  write(sql: string, values: Values): Promise<Written> {
    return this.inTurn(() => whenFree(() => this.statements.write(sql, values)));
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

  onDuplicate(key: string): string {
    return `ON CONFLICT (${key}) DO UPDATE SET`;
  }

  onConflict(id: string, columns: readonly string[]): string {
    return `${this.onDuplicate(id)} ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
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
