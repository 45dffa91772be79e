import { type DataSource, type DataSourceOptions, type EntityManager, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { IntegerList } from '../common/integer-list';

/** A row as the driver gives it, column by column: a boolean as 0 or 1. */
export type RowValues = readonly (string | number | null)[];

/** The same by the names of the columns, in their order. */
export type NamedRow = Record<string, Value>;

export type Value = string | number | boolean | null;
export type Values = readonly Value[];

/** What an INSERT, UPDATE or DELETE has done: `id` is that of the row inserted, `affected` the number of rows. */
export interface WriteResult {
  id: number;
  affected: number;
}

/** The statements of one transaction. */
export interface Statements {
  /** @throws QueryFailedError */
  read(sql: string, values: Values): Promise<RowValues[]>;
  /** @throws QueryFailedError */
  write(sql: string, values: Values): Promise<WriteResult>;
}

/** What is done in one transaction by statements alone. */
export type Work<T> = (statements: Statements) => Promise<T>;

/** The same by entities, too. */
export type EntityWork<T> = (manager: EntityManager, statements: Statements) => Promise<T>;

/** The connections of a pool, and the queries that wait for one. */
export interface PoolUsage {
  open: number;
  idle: number;
  waiting: number;
}

/** Where MySQL and the embedded SQLite differ; nothing but its two implementations asks which one is at work. */
export abstract class Dialect {
  abstract readonly connection: DataSourceOptions;

  /** A data source with these options, among which are those of `connection`. */
  abstract createDataSource(options: DataSourceOptions): DataSource;

  /** Joins two tables that are to be read in the written order. */
  abstract readonly orderedJoin: string;

  /** Absent where there is no pool. */
  readonly poolUsage?: () => PoolUsage;

  /** The condition that a row is an account's, for a list that goes on behind an id; its order is `account_id, id`. */
  abstract ofAccount(accountId: number): { sql: string; values: Values };

  /** Runs the work in one transaction: all of it is kept, or nothing. */
  abstract transaction<T>(dataSource: DataSource, work: EntityWork<T>): Promise<T>;

  /** The same without TypeORM, whose transaction alone takes longer than the statements of most (bench/RESULTS.md). */
  abstract statementTransaction<T>(dataSource: DataSource, work: Work<T>): Promise<T>;

  /** Runs one statement that writes, and is a transaction by itself. @throws QueryFailedError */
  abstract write(sql: string, values: Values): Promise<WriteResult>;

  /** Runs the work while no other process on this database runs its own. */
  abstract withMigrationLock(dataSource: DataSource, work: (executor: MigrationExecutor) => Promise<void>): Promise<void>;

  /**
   * The rows of a statement. Readers go through this and not through TypeORM, whose way to the driver takes longer than the
   * driver (bench/RESULTS.md).
   * @throws QueryFailedError
   */
  abstract read(sql: string, values: Values): Promise<RowValues[]>;

  /** The same, each row by the names of its columns. */
  abstract readNamed(sql: string, values: Values): Promise<NamedRow[]>;

  /** The first column of every row of a statement, all of them integers of 32 bits: 4 bytes a row, however many there are. */
  abstract readIntegers(sql: string, values: Values): Promise<IntegerList>;

  /** Makes this process ready to write many rows. */
  abstract prepareBulk(dataSource: DataSource): Promise<void>;

  /** Inserts rows, each with a value for every column; `ending` ends the statement. To be called inside a transaction. */
  abstract insert(manager: EntityManager, table: string, columns: readonly string[], rows: RowValues[], ending: string): Promise<void>;

  /** Begins what an INSERT does instead, when its row is there already; a list of columns that are set follows. */
  abstract onDuplicate(key: string): string;

  /** What ends an INSERT that updates these columns of the rows whose id is there already. */
  abstract onConflict(id: string, columns: readonly string[]): string;

  /** Ends a SELECT whose rows nobody else may change until the transaction is over. */
  abstract readonly forUpdate: string;

  /** Whether the database answers now. Asked apart from all other work: it waits neither for a connection nor for a transaction. */
  abstract isServing(): Promise<boolean>;

  abstract isUniqueViolation(error: unknown): boolean;

  /** The database has undone all of the transaction; the same may succeed now. */
  abstract isRolledBack(error: unknown): boolean;

  /** The connection is lost, or was not had. */
  abstract isDisconnected(error: unknown): boolean;

  /** Somebody else has held a row for longer than one waits. */
  abstract isLockTimeout(error: unknown): boolean;

  /** The database can't be reached, or can't take this statement now; the same request may succeed later. */
  abstract isUnavailable(error: unknown): boolean;
}

/** What the driver says of an error, out of what TypeORM wraps around it. */
export function driverError(error: unknown): { code?: unknown; errno?: unknown; fatal?: unknown } {
  const wrapped = error as { driverError?: object } | null;
  return wrapped?.driverError ?? wrapped ?? {};
}

/** Migrates in whatever transaction the query runner is. */
export function executorOn(dataSource: DataSource, runner?: QueryRunner): MigrationExecutor {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'none';
  return executor;
}
