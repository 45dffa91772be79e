import { Logger } from '@nestjs/common';
import { type DataSource, type DataSourceOptions, type EntityManager, MigrationExecutor, type QueryRunner } from 'typeorm';
import { Clock } from '../common/clock';
import type { IntegerQueue } from '../common/integer-queue';

export type Value = string | number | boolean | null;
export type Values = readonly Value[];

/** A part of a statement, and the values of its parameters. */
export interface SqlFragment {
  readonly sql: string;
  readonly values: Values;
}

/** A row in column order, of the same types on every database: counts, sums and ids are numbers, booleans 0 or 1, times strings. */
export type RowValues = readonly (string | number | null)[];

export interface WriteResult {
  /** Id of the inserted row; meaningless for other statements. */
  id: number;
  /** Number of rows inserted, updated (even to the same values) or deleted. */
  affected: number;
}

/** An account's records in one table; all accounts' if `accountId` is null. */
export interface List {
  readonly table: string;
  readonly accountId: number | null;
  /** Whether the query searches long texts, which is slow even for a small list. */
  readonly hasLongTexts?: boolean;
}

/**
 * Reads in a transaction, or without one. The caller names the columns' types: `read<[id: number, host: string]>`.
 * @throws QueryFailedError
 */
export interface SqlReader {
  /** Outside a transaction, pass `list` if the cost grows with the list: the embedded database reads large lists in a thread. */
  read<R extends RowValues = RowValues>(sql: string, values: Values, list?: List): Promise<R[]>;
}

/** Runs statements in one transaction. @throws QueryFailedError */
export interface SqlExecutor extends SqlReader {
  /** The application's clock, for the times in rows. */
  readonly clock: Clock;
  write(sql: string, values: Values): Promise<WriteResult>;
  /** For a write that nothing else in the transaction reads: runs at the latest with the commit, which saves a round trip on MySQL. */
  writeLast(sql: string, values: Values): Promise<void>;
}

/** The body of a transaction. */
export type StatementWork<T> = (statements: SqlExecutor) => Promise<T>;

export type MigrationWork<T> = (executor: MigrationExecutor) => Promise<T>;

/** Connection counts; `waiting` is the number of callers waiting for a connection. */
export type PoolUsage = Record<'open' | 'idle' | 'waiting', number>;

export type ErrorKind =
  | 'duplicate' // violates a unique key
  | 'referenced' // violates a foreign key, from either side
  | 'rolled back' // the database ended the transaction; a retry may succeed
  | 'lock timeout' // waited too long for a row
  | 'read-only' // the server refuses writes and has rolled back the transaction; another server may have taken over
  | 'disconnected' // the connection was lost, or could not be made
  | 'unavailable'; // any other temporary error

/** The clauses in which the databases' SQL differs. */
export abstract class SqlGrammar {
  /** Join keyword that keeps the written table order. */
  abstract readonly orderedJoin: string;

  /** Locking clause of a SELECT. */
  abstract readonly forUpdate: string;

  /** Like `forUpdate`, but skips rows that another transaction has locked. */
  abstract readonly forUpdateSkipLocked: string;

  /** Expression whose value usually differs between concurrent transactions. */
  abstract readonly shard: string;

  /** Query for the tables and columns that reference a given table, including those without an entity. The table's name is its parameter. */
  abstract readonly referencesQuery: string;

  /** Wraps a SELECT with ORDER BY and LIMIT for use in a UNION. */
  abstract wrapForUnion(select: string): string;

  /** Index hint to append to a table's name where the planner would choose a far slower index. */
  abstract forceIndex(name: string): string;

  /** Condition that a column has this value; suited to keyset pagination by `column, id`. */
  abstract equals(column: string, value: number): SqlFragment;

  /** Condition for rows whose columns sort after these values; suited to an index. */
  abstract isAfter(columns: readonly [string, string], values: readonly [Value, Value]): SqlFragment;

  /** Condition that a column contains a non-empty text; suited to searching a whole list. */
  abstract contains(column: string): string;

  /** Upsert clause, up to its assignments. */
  abstract upsertPrefix(key: string): string;

  /** Refers to a column's inserted value in an upsert's assignment. */
  abstract insertedValue(column: string): string;

  /** Condition for an account's rows, suited to keyset pagination by `account_id, id`. */
  ofAccount(accountId: number): SqlFragment {
    return this.equals('account_id', accountId);
  }

  /** Upsert clause that sets these columns to the inserted values. */
  upsertClause(key: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(key)} ${columns.map((column) => `${column} = ${this.insertedValue(column)}`).join(', ')}`;
  }

  /** Upsert clause that adds the inserted values to these columns. */
  upsertSums(key: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(key)} ${columns.map((column) => `${column} = ${column} + ${this.insertedValue(column)}`).join(', ')}`;
  }
}

/** Abstracts over MySQL and the embedded SQLite; other code should not depend on which one is in use. */
export abstract class Dialect {
  abstract readonly sql: SqlGrammar;
  /** Whether other connections can read a commit that a crash of the database may still undo. */
  abstract readonly exposesUnflushedCommits: boolean;

  abstract readonly dataSourceOptions: DataSourceOptions;

  /** Clock for the times in rows. Set it before creating the data source. */
  clock = new Clock();

  /** The options must include `dataSourceOptions`. */
  abstract createDataSource(options: DataSourceOptions): DataSource;

  /** Undefined without a pool. */
  readonly poolUsage?: () => PoolUsage;

  /**
   * Copies SQLite's whole WAL into the main file. Call it before process.exit(), which doesn't let libsql close the database. Undefined on
   * MySQL. @throws Error when another process is using the database
   */
  readonly checkpoint?: () => void;

  /** Name and version of the database software: `MariaDB 10.11.6`. */
  abstract version(): Promise<string>;

  /** Refuses a server whose settings don't suit the service. @throws ConfigError */
  checkServer(_: DataSource): Promise<void> {
    return Promise.resolve();
  }

  /** Whether the database currently runs statements; on MySQL, also whether it accepts writes. Never waits for a pooled connection or a transaction. */
  abstract isServing(): Promise<boolean>;

  /** Runs a SELECT. Bypasses TypeORM, whose overhead exceeds the driver's time (bench/HISTORY.md). @throws QueryFailedError */
  abstract read<R extends RowValues = RowValues>(sql: string, values: Values, list?: List): Promise<R[]>;

  /** Like `read`, but on a Galera cluster guaranteed to see every write that any node has acknowledged. @throws QueryFailedError */
  readAcknowledged<R extends RowValues = RowValues>(sql: string, values: Values): Promise<R[]> {
    return this.read<R>(sql, values);
  }

  /** Reads the first column as 32-bit integers, at 4 to 8 bytes a row. */
  abstract readIntegers(sql: string, values: Values, list: List): Promise<IntegerQueue>;

  /** Runs the work in one transaction, without TypeORM, whose overhead exceeds most transactions' own time (bench/HISTORY.md). */
  abstract statementTransaction<T>(work: StatementWork<T>): Promise<T>;

  /** An executor that runs statements in the manager's open transaction. */
  abstract statementsOf(manager: EntityManager): Promise<SqlExecutor>;

  /** A query runner in the executor's transaction, which it must not end. */
  abstract join(dataSource: DataSource, statements: SqlExecutor): QueryRunner;

  /** Runs the work under a lock that excludes other processes' migrations. */
  abstract withMigrationLock<T>(dataSource: DataSource, work: MigrationWork<T>): Promise<T>;

  /**
   * Tunes the connection for bulk writes, in a command that writes one batch at a time and so uses only one connection. `cacheKib`: the
   * embedded database's cache size; a larger cache helps if keys are inserted in random order.
   */
  abstract prepareBulk(dataSource: DataSource, cacheKib?: number): Promise<void>;

  /** Inserts rows in the manager's transaction, each with a value for every listed column; `suffix` is appended to the statement. */
  abstract insert(manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], suffix: string): Promise<void>;

  /**
   * A value that changes when other software writes to the tables; on MySQL, also when this process does. Undefined just after a write,
   * because the next write might not change it.
   */
  abstract changeMarker(tables: readonly string[]): Promise<string | undefined>;

  /** Classifies an error; undefined for any other kind. */
  abstract errorKind(error: unknown): ErrorKind | undefined;

  /** Whether the database is unreachable or can't run the statement right now, so that a later request may succeed. */
  isUnavailable(error: unknown): boolean {
    const kind = this.errorKind(error);
    return kind !== undefined && kind !== 'duplicate' && kind !== 'referenced';
  }
}

/** The driver's error, without TypeORM's wrapper. */
export function driverError(error: unknown): { code?: unknown; errno?: unknown; fatal?: unknown; message?: string } {
  const wrapped = error as { driverError?: object } | null;
  return wrapped?.driverError ?? wrapped ?? {};
}

/** A migration executor that leaves transactions to the caller. */
export function executorOn(dataSource: DataSource, runner: QueryRunner): MigrationExecutor {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'none';
  return executor;
}

/** State of a query runner that has started a transaction: TypeORM has no API to join one. */
export const IN_TRANSACTION = { isTransactionActive: true, transactionDepth: 1 };

const logger = new Logger('Database');

/** Runs a callback after a commit. The write is done, so an error is only logged, and doesn't fail the request. */
export async function runAfterCommit(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    logger.error({ message: 'The write was committed, but a callback or subscriber that follows it failed.', err: error });
  }
}

/** Keeps errors of AfterTransactionCommit subscribers from failing a committed transaction: TypeORM would throw them. Returns the runner. */
export function withSafeSubscribers<T extends QueryRunner>(runner: T): T {
  const { broadcaster } = runner;
  const broadcast = broadcaster.broadcast.bind(broadcaster);
  broadcaster.broadcast = (event, ...given) => {
    const notify = () => broadcast(event, ...given);
    return event === 'AfterTransactionCommit' ? runAfterCommit(notify) : notify();
  };
  return runner;
}
