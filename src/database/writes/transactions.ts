import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../../common/clock';
import { IdempotencyKeyInUse, type WriteContext } from '../../common/write-context';
import { audit, type AuditEvent } from '../events/audit';
import { Dialect, type SqlExecutor, type Work } from '../dialect';
import { Idempotency } from './idempotency';

/** A row with this unique key already exists. Uncaught, it becomes a 409 that names the columns. */
export class UniqueViolation extends Error {}

/** The body of a transaction that uses entities, statements, or both. */
type EntityWork<T> = (manager: EntityManager, statements: SqlExecutor) => Promise<T>;

const MAX_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 40;
/** Slow failures are not retried: the database is down, and the client is waiting. */
const RETRY_WINDOW_MS = 500;

/** Identifies a transaction: its work receives the manager, the statements or both. */
type Handle = SqlExecutor | EntityManager;

interface OpenTransaction {
  statements: SqlExecutor;
  committed: (() => void)[];
}

type Task<M, T> = (statements: SqlExecutor, manager: M) => Promise<T>;
type Transact<M> = <T>(task: Task<M, T>) => Promise<T>;

/**
 * Runs writes: atomic, retried after a deadlock, and those of clients executed once per idempotency key. The work writes through the
 * given manager or statements, and may run more than once.
 */
@Injectable()
export class WriteExecutor {
  private readonly inProgress = new Set<string>();
  /** The contexts, copies included, of writes that are in progress or done. */
  private readonly used = new WeakSet<object>();
  private readonly open = new WeakMap<Handle, OpenTransaction>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly idempotency: Idempotency,
    private readonly clock: Clock,
  ) {}

  /** @throws UniqueViolation, and any error of the work */
  run<T>(work: EntityWork<T>): Promise<T>;
  /**
   * Runs the work, which returns the record's id, and its audit entry.
   * @throws UniqueViolation, IdempotencyKeyReused, IdempotencyKeyInUse, and any error of the work
   */
  run(context: WriteContext, event: Omit<AuditEvent, 'recordId'>, work: EntityWork<number>): Promise<number>;
  run(...given: [EntityWork<unknown>] | [WriteContext, Omit<AuditEvent, 'recordId'>, EntityWork<number>]): Promise<unknown> {
    if (given.length === 1) return this.retry(this.withEntities, (statements, manager) => given[0](manager, statements));
    const [context, event, work] = given;
    return this.execute(context, this.withEntities, async (statements, manager) => {
      const recordId = await work(manager, statements);
      await audit(statements, context, { ...event, recordId });
      return recordId;
    });
  }

  /** Like `run`, but faster. The work writes its own audit entries. */
  runStatements<T>(work: Work<T>): Promise<T>;
  runStatements(context: WriteContext, work: Work<number>): Promise<number>;
  runStatements(...given: [Work<unknown>] | [WriteContext, Work<number>]): Promise<unknown> {
    if (given.length === 1) return this.retry(this.withStatements, given[0]);
    return this.execute(given[0], this.withStatements, given[1]);
  }

  /** The statements of the open transaction that this handle belongs to, which TypeORM may have begun. @throws Error if there is none */
  async statementsOf(handle: Handle): Promise<SqlExecutor> {
    const transaction = this.open.get(handle);
    if (transaction) return transaction.statements;
    if (handle instanceof EntityManager && handle.queryRunner?.isTransactionActive) return this.dialect.statementsOf(handle);
    throw new Error(
      'This is not in an open transaction: pass what the callback of WriteExecutor.run(), runStatements() or dataSource.transaction() gets.',
    );
  }

  /** Calls back when the executor's transaction has committed; never after a rollback, nor for a transaction that TypeORM has begun. */
  afterCommit(handle: Handle, callback: () => void): void {
    this.open.get(handle)?.committed.push(callback);
  }

  private readonly withEntities: Transact<EntityManager> = (task) =>
    this.dataSource.transaction(async (manager) => task(await this.dialect.statementsOf(manager), manager));

  private readonly withStatements: Transact<undefined> = (task) =>
    this.dialect.statementTransaction((statements) => task(statements, undefined));

  private async execute<M extends EntityManager | undefined>(
    context: WriteContext,
    transact: Transact<M>,
    task: Task<M, number>,
  ): Promise<number> {
    const { accountId, idempotency } = context;
    if (!idempotency) return this.retry(transact, task);
    if (this.used.has(idempotency)) throw secondUse(idempotency.operation);
    const key = `${accountId} ${idempotency.key}`;
    if (this.inProgress.has(key)) throw new IdempotencyKeyInUse();
    this.inProgress.add(key);
    this.used.add(idempotency);
    try {
      return (await this.idempotency.find(context)) ?? (await this.executeOnce(context, transact, task));
    } catch (error) {
      this.used.delete(idempotency); // the caller may retry, for example with another code
      throw error;
    } finally {
      this.inProgress.delete(key);
    }
  }

  /** If another process claims the key first, returns that process's result. */
  private async executeOnce<M extends EntityManager | undefined>(
    context: WriteContext,
    transact: Transact<M>,
    task: Task<M, number>,
  ): Promise<number> {
    let isClaimed = false;
    try {
      return await this.retry(transact, async (statements, manager) => {
        isClaimed = false;
        await this.idempotency.claim(statements, context);
        isClaimed = true;
        const id = await task(statements, manager);
        await this.idempotency.complete(statements, context, id);
        return id;
      });
    } catch (error) {
      if (isClaimed) throw error;
      const id = error instanceof UniqueViolation ? await this.idempotency.find(context) : undefined;
      if (id !== undefined) return id;
      throw error instanceof UniqueViolation || this.dialect.errorKind(error) === 'lock timeout' ? new IdempotencyKeyInUse() : error;
    }
  }

  /**
   * Retries after a rollback by the database, a deadlock for example, and after a connection lost before the commit. If it is
   * lost during the commit, the transaction may have committed: the client has to check.
   */
  private async retry<M extends EntityManager | undefined, T>(transact: Transact<M>, task: Task<M, T>): Promise<T> {
    const start = this.clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      try {
        return await this.attempt(transact, async (statements, manager) => {
          const result = await task(statements, manager);
          isCommitting = true;
          return result;
        });
      } catch (error) {
        const kind = this.dialect.errorKind(error);
        if (kind === 'duplicate') throw new UniqueViolation('', { cause: error });
        const isUndone = kind === 'rolled back' || (kind === 'disconnected' && !isCommitting);
        if (!isUndone || attempt === MAX_ATTEMPTS || this.clock.monotonic() - start > RETRY_WINDOW_MS) throw error;
        await sleep(Math.random() * MAX_BACKOFF_MS);
      }
    }
  }

  private async attempt<M extends EntityManager | undefined, T>(transact: Transact<M>, task: Task<M, T>): Promise<T> {
    const committed: (() => void)[] = [];
    let handles: Handle[] = [];
    try {
      const result = await transact((statements, manager) => {
        handles = manager ? [statements, manager] : [statements];
        for (const handle of handles) this.open.set(handle, { statements, committed });
        return task(statements, manager);
      });
      for (const callback of committed) callback();
      return result;
    } finally {
      for (const handle of handles) this.open.delete(handle);
    }
  }
}

/** A key stores one id: a second write would return the first one's and write nothing. */
function secondUse(operation: string): Error {
  return new Error(
    `The write context of ${operation} has already been used under this Idempotency-Key: ` +
      'write everything in one WriteExecutor.run(), records with Records.insertWithin().',
  );
}

/** On SQLite, another process's writer polls for the lock every 20 ms. */
const PAUSE_MS = 30;

/** Pauses between the transactions of a batch job, so that other writers get the lock. */
export function yieldToWriters(): Promise<void> {
  return sleep(PAUSE_MS);
}
