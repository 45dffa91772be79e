import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager, type QueryRunner } from 'typeorm';
import { Clock } from '../../common/clock';
import type { WriteContext } from '../../common/write-context';
import { Dialect, type RowValues, runAfterCommit, type SqlExecutor, type Values, type WriteResult } from '../dialect';
import { type Changes, countChanges } from '../lists/list-changes';
import { claimKey, findResult, storeResult, type StoredResult } from './idempotency';
import { RequestError } from '../../common/errors';

/** A row with this unique key already exists. Uncaught, it becomes a 409. */
export class UniqueViolation extends Error {}

const MAX_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 40;
/** Failures after a longer time are not retried: the database is probably down, and the client is waiting. */
const RETRY_WINDOW_MS = 500;

/** An open transaction, for SQL and for TypeORM. */
export class Transaction implements SqlExecutor {
  isOver = false;
  private runner?: QueryRunner;
  readonly clock: Clock;
  /** Callbacks to run after the commit. */
  readonly afterCommitCallbacks: (() => void)[] = [];

  constructor(
    private readonly statements: SqlExecutor,
    private readonly dialect: Dialect,
    private readonly join: () => QueryRunner,
  ) {
    this.clock = statements.clock;
  }

  read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    return this.statements.read<R>(sql, values);
  }

  write(sql: string, values: Values): Promise<WriteResult> {
    return this.statements.write(sql, values);
  }

  writeLast(sql: string, values: Values): Promise<void> {
    return this.statements.writeLast(sql, values);
  }

  /** TypeORM's manager; created on first use, because creating it takes longer than most transactions (bench/HISTORY.md). */
  get manager(): EntityManager {
    return (this.runner ??= this.join()).manager;
  }

  /**
   * Counts the account's records that SQL has changed, so that cached lists notice. Call it at the end of the transaction. TypeORM's writes
   * are counted automatically.
   */
  changed(accountId: number, byTable: Readonly<Record<string, Changes>>): Promise<void> {
    return countChanges(this.dialect, this, accountId, byTable);
  }

  /** Notifies TypeORM's subscribers, as TypeORM's own transactions do. */
  async beforeCommit(): Promise<void> {
    await this.runner?.broadcaster.broadcast('BeforeTransactionCommit');
  }

  /** Never throws: after an error, a committed transaction would be retried. */
  async afterCommit(): Promise<void> {
    for (const callback of this.afterCommitCallbacks) await runAfterCommit(callback);
    await this.runner?.broadcaster.broadcast('AfterTransactionCommit');
  }

  /** Marks the transaction as over, for its manager, too. */
  end(): void {
    this.isOver = true;
    if (this.runner) Object.assign(this.runner, { isTransactionActive: false, isReleased: true });
  }
}

/** The argument of a callback of `WriteExecutor.run()` or `dataSource.transaction()`. */
export type TransactionHandle = SqlExecutor | EntityManager;

/** The body of a transaction; may run more than once. */
export type TransactionWork<T> = (transaction: Transaction) => Promise<T>;

/** Runs each write in a transaction, which is retried after a deadlock. */
@Injectable()
export class WriteExecutor {
  private readonly keysInProgress = new Set<string>();
  /** The `idempotency` objects of writes in progress or done. Copies of a write context share one. */
  private readonly usedIdempotency = new WeakSet<object>();
  /** Open transactions by handle: a handle is the transaction itself or its entity manager. */
  private readonly transactions = new WeakMap<TransactionHandle, Transaction>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /**
   * Retries after a rollback by the database, such as a deadlock, after losing the connection before the commit, and once on a new connection
   * if the database is read-only. If the connection is lost during the commit, the transaction may have been committed: the caller has to
   * check.
   * @throws UniqueViolation, and any error of the work
   */
  async run<T>(work: TransactionWork<T>): Promise<T> {
    const start = this.clock.monotonic();
    let wasReadOnly = false;
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      try {
        return await this.attempt(async (transaction) => {
          const result = await work(transaction);
          isCommitting = true;
          return result;
        });
      } catch (error) {
        const kind = this.dialect.errorKind(error);
        if (kind === 'duplicate') throw new UniqueViolation('', { cause: error });
        const isUndone = kind === 'rolled back' || (kind === 'disconnected' && !isCommitting) || (kind === 'read-only' && !wasReadOnly);
        wasReadOnly ||= kind === 'read-only';
        if (!isUndone || attempt === MAX_ATTEMPTS || this.clock.monotonic() - start > RETRY_WINDOW_MS) throw error;
        await sleep(Math.random() * MAX_BACKOFF_MS);
      }
    }
  }

  /**
   * Like `run`, but once per Idempotency-Key of a client's request. Returns the record id that the work returns; a repeated request gets the same
   * id. Check conditions that depend on the time or on stored data inside the work: checked earlier, they could refuse a repeated request.
   * @throws UniqueViolation, RequestError 409 or 422 for the Idempotency-Key, and any error of the work
   */
  async runOnce(context: WriteContext, work: TransactionWork<number>): Promise<number> {
    return (await this.writeOnce(context, async (transaction) => ({ id: await work(transaction), isRepeat: false }))).id;
  }

  /** Like `runOnce`, for work that may find an earlier record instead of writing one. */
  async writeOnce(context: WriteContext, work: TransactionWork<StoredResult>): Promise<StoredResult> {
    const { accountId, idempotency } = context;
    if (!idempotency) return this.run(work);
    if (this.usedIdempotency.has(idempotency)) throw secondUseError(idempotency.operation);
    const key = `${accountId} ${idempotency.key}`;
    if (this.keysInProgress.has(key)) throw keyInUseError();
    this.keysInProgress.add(key);
    this.usedIdempotency.add(idempotency);
    try {
      return (await findResult(this.dialect, context)) ?? (await this.claimAndRun(context, work));
    } catch (error) {
      this.usedIdempotency.delete(idempotency); // the caller may retry, for example with another random code
      throw error;
    } finally {
      this.keysInProgress.delete(key);
    }
  }

  /** The open transaction that a handle belongs to, even if TypeORM has started it. @throws Error if there is none */
  async transactionOf(handle: TransactionHandle): Promise<Transaction> {
    const transaction = this.transactions.get(handle);
    if (transaction && !transaction.isOver) return transaction;
    const runner = handle instanceof EntityManager ? handle.queryRunner : undefined;
    if (runner?.isTransactionActive) return new Transaction(await this.dialect.statementsOf(runner.manager), this.dialect, () => runner);
    throw new Error('No open transaction: pass what the callback of WriteExecutor.run(), runOnce() or dataSource.transaction() receives.');
  }

  /** Calls back when the executor's transaction has committed; never after a rollback, or for a transaction that TypeORM has started. */
  afterCommit(transaction: Transaction, callback: () => void): void {
    transaction.afterCommitCallbacks.push(callback);
  }

  /** If another process claims the key first, returns that process's result. */
  private async claimAndRun(context: WriteContext, work: TransactionWork<StoredResult>): Promise<StoredResult> {
    let isClaimed = false;
    try {
      return await this.run(async (transaction) => {
        isClaimed = false;
        await claimKey(transaction, context);
        isClaimed = true;
        const stored = await work(transaction);
        await storeResult(transaction, context, stored);
        return stored;
      });
    } catch (error) {
      if (isClaimed) throw error;
      const stored = error instanceof UniqueViolation ? await findResult(this.dialect, context) : undefined;
      if (stored) return stored;
      throw error instanceof UniqueViolation || this.dialect.errorKind(error) === 'lock timeout' ? keyInUseError() : error;
    }
  }

  private async attempt<T>(work: TransactionWork<T>): Promise<T> {
    let transaction: Transaction | undefined;
    try {
      const result = await this.dialect.statementTransaction(async (statements) => {
        transaction = this.openTransaction(statements);
        const workResult = await work(transaction);
        await transaction.beforeCommit();
        return workResult;
      });
      transaction!.end();
      await transaction!.afterCommit();
      return result;
    } finally {
      transaction?.end();
    }
  }

  private openTransaction(statements: SqlExecutor): Transaction {
    const transaction = new Transaction(statements, this.dialect, () => {
      const runner = this.dialect.join(this.dataSource, statements);
      this.transactions.set(runner.manager, transaction);
      return runner;
    });
    this.transactions.set(transaction, transaction);
    return transaction;
  }
}

/** An Idempotency-Key stores one id: the second write of a request would return the first write's id, and write nothing. */
function secondUseError(operation: string): Error {
  return new Error(
    `${operation} wrote twice with one write context, but an Idempotency-Key covers a single write: ` +
      'write everything in one WriteExecutor.runOnce(), and insert records there with Records.insertWithin().',
  );
}

/** Longer than the 20 ms after which another process's writer tries again to lock the SQLite database. */
const WRITER_PAUSE_MS = 30;

/** Pauses between the transactions of a batch job, so that other writers get the lock. */
export function yieldToWriters(): Promise<void> {
  return sleep(WRITER_PAUSE_MS);
}

function keyInUseError(): RequestError {
  return RequestError.inHeader('idempotency_key_in_use', 'This request is being carried out.', 'Idempotency-Key', { 'Retry-After': '1' });
}
