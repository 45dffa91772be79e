import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { audit, type AuditEvent } from '../audit/audit';
import { type WriteContext, IdempotencyKeyInUse } from '../../common/write-context';
import { Dialect, type EntityWork, type Statements, type Work } from '../dialect';
import { Idempotency } from './idempotency';
import { Transactions, UniqueViolation } from './transactions';

const ATTEMPTS = 5;
const LONGEST_PAUSE_MILLISECONDS = 40;
/** What took longer was waiting for a database that is not there: to wait again would be too long for who asks. */
const RETRY_MILLISECONDS = 500;

/** Writes, and gives the id of its record, or a number of them. It may run more than once: what it did before has been undone then. */
export type RecordWork = Work<number>;

/** The same in a transaction with an entity manager, or without one. */
type Task<M> = (statements: Statements, manager: M) => Promise<number>;
type Transact<M> = (task: Task<M>) => Promise<number>;

/** Carries out what clients change: all of it or nothing, and once when the request has a key. */
@Injectable()
export class WriteExecutor {
  private readonly atWork = new Set<string>();

  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly dialect: Dialect,
  ) {}

  /**
   * Writes what one request asks for, in one transaction with its row in the audit. The work writes through the manager or
   * the statements that it is given, and returns the record's id. It may run more than once: after a deadlock, say.
   * @throws UniqueViolation, KeyReused, KeyAtWork, and what the work throws
   */
  run(context: WriteContext, { action, record }: Pick<AuditEvent, 'action' | 'record'>, work: EntityWork<number>): Promise<number> {
    return this.carryOut(context, this.withEntities, async (statements, manager) => {
      const recordId = await work(manager, statements);
      await audit(statements, context, { action, record, recordId });
      return recordId;
    });
  }

  /** The same by statements alone; the work writes its rows in the audit itself. */
  runStatements(context: WriteContext, work: RecordWork): Promise<number> {
    return this.carryOut(context, this.withStatements, work);
  }

  /** Runs the work in a transaction, and again when the database has undone it. */
  attempt(work: RecordWork): Promise<number> {
    return this.retry(this.withStatements, work);
  }

  private readonly withStatements: Transact<undefined> = (task) =>
    this.transactions.runStatements((statements) => task(statements, undefined));

  private readonly withEntities: Transact<EntityManager> = (task) =>
    this.transactions.run((manager, statements) => task(statements, manager));

  private async carryOut<M>(context: WriteContext, transact: Transact<M>, task: Task<M>): Promise<number> {
    if (!context.idempotency) return this.retry(transact, task);
    const name = `${context.accountId} ${context.idempotency.key}`;
    if (this.atWork.has(name)) throw new IdempotencyKeyInUse();
    this.atWork.add(name);
    try {
      return (await this.idempotency.recall(context)) ?? (await this.carryOutOnce(context, transact, task));
    } finally {
      this.atWork.delete(name);
    }
  }

  /** Another process may take the key at the same moment: then its answer is this one's, too. */
  private async carryOutOnce<M>(context: WriteContext, transact: Transact<M>, task: Task<M>): Promise<number> {
    let isTaken = false;
    try {
      return await this.retry(transact, async (statements, manager) => {
        isTaken = false;
        await this.idempotency.take(statements, context);
        isTaken = true;
        const id = await task(statements, manager);
        await this.idempotency.keep(statements, context, id);
        return id;
      });
    } catch (error) {
      if (isTaken) throw error;
      if (error instanceof UniqueViolation) return (await this.idempotency.recall(context)) ?? refuseAtWork();
      throw this.dialect.isLockTimeout(error) ? new IdempotencyKeyInUse() : error;
    }
  }

  /**
   * Tries again what the database has undone, a deadlock say, and what a lost connection kept from being committed. A
   * connection that is lost while it commits may have written: that is for the client to find out.
   */
  private async retry<M>(transact: Transact<M>, task: Task<M>): Promise<number> {
    const begun = performance.now();
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      try {
        return await transact(async (statements, manager) => {
          const id = await task(statements, manager);
          isCommitting = true;
          return id;
        });
      } catch (error) {
        const isUndone = this.dialect.isRolledBack(error) || (!isCommitting && this.dialect.isDisconnected(error));
        if (!isUndone || attempt === ATTEMPTS || performance.now() - begun > RETRY_MILLISECONDS) throw error;
        await sleep(Math.random() * LONGEST_PAUSE_MILLISECONDS);
      }
    }
  }
}

function refuseAtWork(): never {
  throw new IdempotencyKeyInUse();
}
