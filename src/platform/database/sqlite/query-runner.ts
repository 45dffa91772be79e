import type Libsql from 'libsql';
import { type ObjectLiteral, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { wrapStatement } from './statements';
import type { SqliteTransaction, SqliteWriter } from './writer';

/** The statements that TypeORM sends for a transaction that isn't nested. */
const BEGIN = 'BEGIN TRANSACTION';
const ROLLBACK = 'ROLLBACK';

/** Statements that don't write, or that SQLite runs only outside a transaction. */
const NEEDS_NO_WRITE_LOCK =
  /^(?:(?:SELECT|VALUES|EXPLAIN|PRAGMA|VACUUM|ATTACH|DETACH)\b|WITH\b(?!.*\b(?:INSERT|UPDATE|DELETE\s+FROM|REPLACE\s+INTO)\b))/is;
const LEADING_COMMENTS = /^(?:\s+|--[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/;
const TRANSACTION_END = /^(?:COMMIT|END)\b/i;
const TRANSACTION_CONTROL = /^(?:BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i;

type QueryParameters = unknown[] | ObjectLiteral;

const abandonedTransactions = new FinalizationRegistry<SqliteTransaction>((transaction) => transaction.rollback());

/**
 * With SQLite, TypeORM shares one query runner among all callers, whose writes would join any open transaction. Here, each caller gets its
 * own runner: it holds the writer during a transaction or a single write, and otherwise reads on the main connection, which is never in a
 * transaction and so sees committed rows.
 */
export class SqliteQueryRunner extends BetterSqlite3QueryRunner {
  private transaction?: SqliteTransaction;
  private isMigrating = false;
  private isCommitting = false;

  constructor(
    driver: BetterSqlite3Driver,
    private readonly writer: SqliteWriter,
  ) {
    super(driver);
  }

  override async connect(): Promise<unknown> {
    if (this.isTransactionActive) return this.transaction;
    const database = (await super.connect()) as Libsql.Database;
    return { prepare: (sql: string) => wrapStatement(database.prepare(sql)), pragma: (text: string) => database.pragma(text) };
  }

  override async startTransaction(isolationLevel?: 'READ UNCOMMITTED' | 'SERIALIZABLE'): Promise<void> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (this.isTransactionActive) return super.startTransaction(isolationLevel); // nested: a savepoint
    const transaction = (this.transaction = await this.writer.begin(!this.isMigrating));
    abandonedTransactions.register(this, transaction);
    try {
      await super.startTransaction(isolationLevel);
    } catch (error) {
      transaction.rollback();
      this.isTransactionActive = false;
      throw error;
    }
  }

  override query(sql: string, parameters?: QueryParameters, useStructuredResult?: boolean): ReturnType<BetterSqlite3QueryRunner['query']> {
    const statement = sql.replace(LEADING_COMMENTS, '');
    if (this.isTransactionActive) {
      if (TRANSACTION_END.test(statement) && !this.isCommitting) return Promise.reject(transactionControlError());
      const isDone = sql === BEGIN || (sql === ROLLBACK && this.transaction!.isOver);
      if (isDone) return Promise.resolve();
      return this.transaction!.yielder.yieldIfDue().then(() => super.query(sql, parameters, useStructuredResult));
    }
    if (NEEDS_NO_WRITE_LOCK.test(statement) || this.isReleased) return super.query(sql, parameters, useStructuredResult);
    if (TRANSACTION_CONTROL.test(statement)) return Promise.reject(transactionControlError());
    return this.writer.transaction((transaction) => this.runnerIn(transaction).query(sql, parameters, useStructuredResult));
  }

  override async commitTransaction(): Promise<void> {
    this.isCommitting = true;
    try {
      await super.commitTransaction();
    } finally {
      this.isCommitting = false;
    }
  }

  override beforeMigration(): Promise<void> {
    this.isMigrating = true;
    return Promise.resolve();
  }

  override afterMigration(): Promise<void> {
    this.isMigrating = false;
    return Promise.resolve();
  }

  override async release(): Promise<void> {
    if (this.isTransactionActive) this.transaction!.rollback('Its query runner was released.');
    this.isTransactionActive = false;
    await super.release();
    this.isReleased = true;
  }

  /** A runner inside a transaction that the writer has started. */
  private runnerIn(transaction: SqliteTransaction): SqliteQueryRunner {
    const runner = Object.assign(new SqliteQueryRunner(this.driver, this.writer), { manager: this.manager });
    runner.transaction = transaction;
    runner.isTransactionActive = true;
    return runner;
  }
}

function transactionControlError(): Error {
  return new Error('Begin and end transactions with dataSource.transaction() or a query runner, not with SQL statements.');
}
