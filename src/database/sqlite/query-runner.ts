import type Libsql from 'libsql';
import { type EntityManager, type ObjectLiteral, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { bindable } from './binding';
import type { SqliteTransaction } from './transaction';
import type { SqliteWriter } from './writer';

/** How TypeORM begins and ends a transaction that isn't nested. */
const BEGIN = 'BEGIN TRANSACTION';
const ROLLBACK = 'ROLLBACK';

/** Statements that don't write, and those that SQLite runs outside a transaction only. */
const NEEDS_NO_WRITE_LOCK =
  /^(?:(?:SELECT|VALUES|EXPLAIN|PRAGMA|VACUUM|ATTACH|DETACH)\b|WITH\b(?!.*\b(?:INSERT|UPDATE|DELETE\s+FROM|REPLACE\s+INTO)\b))/is;
const LEADING_COMMENTS = /^(?:\s+|--[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/;
const TRANSACTION_END = /^(?:COMMIT|END)\b/i;
const TRANSACTION_CONTROL = /^(?:BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i;

type Parameters = unknown[] | ObjectLiteral;

const forgotten = new FinalizationRegistry<SqliteTransaction>((transaction) => transaction.rollback());

/**
 * TypeORM has one query runner for SQLite, on one connection, so that whoever writes during a transaction is part of it,
 * and is rolled back with it. This one has the writer to itself during a transaction, and for a single write; it reads on
 * the main connection, which is in no transaction ever and sees what is committed.
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
    return { prepare: (sql: string) => bindable(database.prepare(sql)), pragma: (text: string) => database.pragma(text) };
  }

  override async startTransaction(isolationLevel?: 'READ UNCOMMITTED' | 'SERIALIZABLE'): Promise<void> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (this.isTransactionActive) return super.startTransaction(isolationLevel); // nested: a savepoint
    const transaction = (this.transaction = await this.writer.begin(!this.isMigrating));
    forgotten.register(this, transaction);
    try {
      await super.startTransaction(isolationLevel);
    } catch (error) {
      transaction.rollback();
      this.isTransactionActive = false;
      throw error;
    }
  }

  override query(sql: string, parameters?: Parameters, useStructuredResult?: boolean): ReturnType<BetterSqlite3QueryRunner['query']> {
    const statement = sql.replace(LEADING_COMMENTS, '');
    if (this.isTransactionActive) {
      if (TRANSACTION_END.test(statement) && !this.isCommitting) return Promise.reject(refusal());
      const isDone = sql === BEGIN || (sql === ROLLBACK && this.transaction!.isOver);
      return isDone ? Promise.resolve() : super.query(sql, parameters, useStructuredResult);
    }
    if (NEEDS_NO_WRITE_LOCK.test(statement) || this.isReleased) return super.query(sql, parameters, useStructuredResult);
    if (TRANSACTION_CONTROL.test(statement)) return Promise.reject(refusal());
    return this.writer.transaction((transaction) =>
      new OneStatementRunner(this.driver, this.manager, transaction).query(sql, parameters, useStructuredResult),
    );
  }

  override async commitTransaction(): Promise<void> {
    this.isCommitting = true;
    try {
      await super.commitTransaction();
    } finally {
      this.isCommitting = false;
    }
  }

  override async beforeMigration(): Promise<void> {
    await super.beforeMigration();
    this.isMigrating = true;
  }

  override async afterMigration(): Promise<void> {
    await super.afterMigration();
    this.isMigrating = false;
  }

  override async release(): Promise<void> {
    if (this.isTransactionActive) this.transaction!.rollback('Its query runner was released.');
    this.isTransactionActive = false;
    await super.release();
    this.isReleased = true;
  }
}

function refusal(): Error {
  return new Error('Begin and end a transaction by dataSource.transaction() or a query runner, not by a statement.');
}

class OneStatementRunner extends BetterSqlite3QueryRunner {
  constructor(
    driver: BetterSqlite3Driver,
    override manager: EntityManager,
    private readonly transaction: SqliteTransaction,
  ) {
    super(driver);
  }

  override connect(): Promise<unknown> {
    return Promise.resolve(this.transaction);
  }
}
