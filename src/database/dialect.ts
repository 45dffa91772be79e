import { type DataSource, type DataSourceOptions, type EntityManager, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { IntegerQueue } from '../common/integer-queue';

export type Value = string | number | boolean | null;
export type Values = readonly Value[];

export interface Comparison {
  sql: string;
  values: Value[];
}

/** A row in column order, of the same types on every database: counts, sums and ids are numbers, booleans 0 or 1, times texts. */
export type RowValues = readonly (string | number | null)[];

/** A row as an object, with keys in column order. */
export type NamedRow = Record<string, Value>;

export interface WriteResult {
  /** Of the inserted row. */
  id: number;
  /** Number of rows. */
  affected: number;
}

/** An account's records of a table; `null` means those of every account. */
export interface List {
  readonly table: string;
  readonly accountId: number | null;
}

/**
 * Reads in a transaction, or without one. The caller names the columns' types: `read<[id: number, host: string]>`.
 * @throws QueryFailedError
 */
export interface SqlReader {
  /** Outside a transaction, a statement whose cost grows with a list names it: the embedded database reads large ones in a thread. */
  read<R extends RowValues = RowValues>(sql: string, values: Values, list?: List): Promise<R[]>;
}

/** Runs statements in one transaction. @throws QueryFailedError */
export interface SqlExecutor extends SqlReader {
  write(sql: string, values: Values): Promise<WriteResult>;
}

/** The body of a transaction. */
export type Work<T> = (statements: SqlExecutor) => Promise<T>;

export type MigrationWork<T> = (executor: MigrationExecutor) => Promise<T>;

/** Connection counts; `waiting` is the number of callers waiting for a connection. */
export interface PoolUsage {
  open: number;
  idle: number;
  waiting: number;
}

/**
 * `duplicate`: violates a unique key. `referenced`: violates a foreign key. `rolled back`: by the database; a retry may succeed. `lock timeout`: waited too long for a
 * row. `disconnected`: the connection was lost or could not be made. `unavailable`: any other temporary error.
 */
export type ErrorKind = 'duplicate' | 'referenced' | 'rolled back' | 'lock timeout' | 'disconnected' | 'unavailable';

/** Abstracts over MySQL and the embedded SQLite; other code should not depend on which one is in use. */
export abstract class Dialect {
  abstract readonly dataSourceOptions: DataSourceOptions;

  /** The options include `dataSourceOptions`. */
  abstract createDataSource(options: DataSourceOptions): DataSource;

  /** Undefined without a pool. */
  readonly poolUsage?: () => PoolUsage;

  /** Leaves every row in the main file before exit(), which skips libsql's own closing. Undefined on a server. @throws Error */
  readonly checkpoint?: () => void;

  /** Of the database software, with its name: `MariaDB 10.11.6`. */
  abstract version(): Promise<string>;

  /** Never waits for a connection or a transaction. */
  abstract isServing(): Promise<boolean>;

  /** Bypasses TypeORM, whose overhead exceeds the driver's time (bench/HISTORY.md). @throws QueryFailedError */
  abstract read<R extends RowValues = RowValues>(sql: string, values: Values, list?: List): Promise<R[]>;

  /** @throws QueryFailedError */
  abstract readNamed(sql: string, values: Values, list?: List): Promise<NamedRow[]>;

  /** Reads the first column as 32-bit integers, at 4 to 8 bytes a row. */
  abstract readIntegers(sql: string, values: Values, list: List): Promise<IntegerQueue>;

  /** Bypasses TypeORM, whose transaction overhead takes longer than the statements of most transactions (bench/HISTORY.md). */
  abstract statementTransaction<T>(work: Work<T>): Promise<T>;

  /** Runs statements in the manager's transaction. */
  abstract statementsOf(manager: EntityManager): Promise<SqlExecutor>;

  /** Runs the work under a lock that excludes other processes' migrations. */
  abstract withMigrationLock<T>(dataSource: DataSource, work: MigrationWork<T>): Promise<T>;

  /** Tunes this process's connections for bulk writes. */
  abstract prepareBulk(dataSource: DataSource): Promise<void>;

  /** Inserts rows in the manager's transaction, with a value for every column; `suffix` is appended to the statement. */
  abstract insert(manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], suffix: string): Promise<void>;

  /** Join keyword that keeps the written table order. */
  abstract readonly orderedJoin: string;

  /** Clause after a table's name, where the planner would choose an index that reads far more. */
  abstract forceIndex(name: string): string;

  /** Locking clause of a SELECT. */
  abstract readonly forUpdate: string;

  /** As `forUpdate`, leaving out rows that another transaction has locked. */
  abstract readonly forUpdateSkipLocked: string;

  /** Condition for an account's rows, suited to keyset pagination by `account_id, id`. */
  ofAccount(accountId: number): Comparison {
    return this.equals('account_id', accountId);
  }

  /** Condition suited to keyset pagination by `column, id`. */
  abstract equals(column: string, value: number): Comparison;

  /** Condition for rows whose columns, compared in their order, come after these values; suited to an index. */
  abstract isAfter(columns: readonly [string, string], values: readonly [Value, Value]): Comparison;

  /** Condition that a column contains a text, which isn't empty; suited to searching a whole list. */
  abstract contains(column: string): string;

  /** Changes when any software writes to the tables. Undefined for some seconds after a write, which can't be told from the next. */
  abstract changeMarker(tables: readonly string[]): Promise<string | undefined>;

  /** Upsert clause, up to its assignments. */
  abstract upsertPrefix(key: string): string;

  /** Upsert clause that sets these columns to the inserted values. */
  abstract upsertClause(id: string, columns: readonly string[]): string;

  /** Upsert clause that adds the inserted values to these columns. */
  abstract upsertSums(key: string, columns: readonly string[]): string;

  /** SQL expression that differs among concurrent transactions, mostly. */
  abstract readonly shard: string;

  /** Classifies an error; undefined if it is of no such kind. */
  abstract errorKind(error: unknown): ErrorKind | undefined;

  /** The database is unreachable or can't run the statement right now; a later request may succeed. */
  isUnavailable(error: unknown): boolean {
    const kind = this.errorKind(error);
    return kind !== undefined && kind !== 'duplicate' && kind !== 'referenced';
  }
}

/** The driver's error, without TypeORM's wrapper. */
export function driverError(error: unknown): { code?: unknown; errno?: unknown; fatal?: unknown } {
  const wrapped = error as { driverError?: object } | null;
  return wrapped?.driverError ?? wrapped ?? {};
}

/** Leaves transactions to the caller. */
export function executorOn(dataSource: DataSource, runner?: QueryRunner): MigrationExecutor {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'none';
  return executor;
}
