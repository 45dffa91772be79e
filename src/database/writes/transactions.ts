import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IdempotencyKeyInUse, type WriteContext } from '../../common/write-context';
import { audit, type AuditEvent } from '../audit/audit';
import { Dialect, type SqlExecutor, type Work } from '../dialect';
import { Idempotency } from './idempotency';

/** A row with this unique key already exists. */
export class UniqueViolation extends Error {}

/** The body of a transaction that uses entities, statements, or both. */
export type EntityWork<T> = (manager: EntityManager, statements: SqlExecutor) => Promise<T>;

@Injectable()
export class Transactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** @throws UniqueViolation */
  run<T>(work: EntityWork<T>): Promise<T> {
    return this.dataSource
      .transaction(async (manager) => work(manager, await this.dialect.statementsOf(manager)))
      .catch((error: unknown) => this.translate(error));
  }

  /** Faster than `run`. @throws UniqueViolation */
  runStatements<T>(work: Work<T>): Promise<T> {
    return this.dialect.statementTransaction(work).catch((error: unknown) => this.translate(error));
  }

  private translate(error: unknown): never {
    throw this.dialect.errorKind(error) === 'duplicate' ? new UniqueViolation() : error;
  }
}

const MAX_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 40;
/** Slow failures are not retried: the database is down, and the client is waiting. */
const RETRY_WINDOW_MS = 500;

type Task<M, T> = (statements: SqlExecutor, manager: M) => Promise<T>;
type Transact<M> = <T>(task: Task<M, T>) => Promise<T>;

/** Runs clients' writes: atomic, retried after a deadlock, and executed once per idempotency key. */
@Injectable()
export class WriteExecutor {
  private readonly inProgress = new Set<string>();
  /** The contexts, copies included, of writes that are in progress or done. */
  private readonly used = new WeakSet<object>();

  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly dialect: Dialect,
  ) {}

  /**
   * Runs the work and its audit entry in one transaction. The work writes through the given manager or statements, returns the
   * record's id, and may run more than once.
   * @throws UniqueViolation, IdempotencyKeyReused, IdempotencyKeyInUse, and any error of the work
   */
  run(context: WriteContext, { action, record }: Pick<AuditEvent, 'action' | 'record'>, work: EntityWork<number>): Promise<number> {
    return this.execute(context, this.withEntities, async (statements, manager) => {
      const recordId = await work(manager, statements);
      await audit(statements, context, { action, record, recordId });
      return recordId;
    });
  }

  /** Faster than `run`; the work writes its own audit entries. */
  runStatements(context: WriteContext, work: Work<number>): Promise<number> {
    return this.execute(context, this.withStatements, work);
  }

  /** Runs a transaction, and retries it when the database rolls it back. */
  runWithRetries<T>(work: Work<T>): Promise<T> {
    return this.retry(this.withStatements, work);
  }

  private readonly withStatements: Transact<undefined> = (task) =>
    this.transactions.runStatements((statements) => task(statements, undefined));

  private readonly withEntities: Transact<EntityManager> = (task) =>
    this.transactions.run((manager, statements) => task(statements, manager));

  private async execute<M>(context: WriteContext, transact: Transact<M>, task: Task<M, number>): Promise<number> {
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
      this.used.delete(idempotency); // it may try again, with another code for example
      throw error;
    } finally {
      this.inProgress.delete(key);
    }
  }

  /** If another process claims the key first, returns that process's result. */
  private async executeOnce<M>(context: WriteContext, transact: Transact<M>, task: Task<M, number>): Promise<number> {
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
  private async retry<M, T>(transact: Transact<M>, task: Task<M, T>): Promise<T> {
    const start = performance.now();
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      try {
        return await transact(async (statements, manager) => {
          const result = await task(statements, manager);
          isCommitting = true;
          return result;
        });
      } catch (error) {
        const kind = this.dialect.errorKind(error);
        const isUndone = kind === 'rolled back' || (kind === 'disconnected' && !isCommitting);
        if (!isUndone || attempt === MAX_ATTEMPTS || performance.now() - start > RETRY_WINDOW_MS) throw error;
        await sleep(Math.random() * MAX_BACKOFF_MS);
      }
    }
  }
}

/** The key keeps one id: the second write would return the first's and write nothing. */
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
