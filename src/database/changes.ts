import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Change, KeyAtWork } from './change';
import { Dialect, type Work } from './dialect';
import { Idempotency } from './idempotency';
import { Transactions, UniqueViolation } from './transactions';

const ATTEMPTS = 5;
const LONGEST_PAUSE_MILLISECONDS = 40;
/** What took longer was waiting for a database that is not there: to wait again would be too long for who asks. */
const RETRY_MILLISECONDS = 500;

/** Writes, and gives the id of its record, or a number of them. It may run more than once: what it did before has been undone then. */
export type RecordWork = Work<number>;

/** Carries out what clients change: all of it or nothing, and once when the request has a key. */
@Injectable()
export class Changes {
  private readonly atWork = new Set<string>();

  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly dialect: Dialect,
  ) {}

  /** @throws UniqueViolation, KeyReused, KeyAtWork, and what the work throws */
  async run(change: Change, work: RecordWork): Promise<number> {
    if (!change.once) return this.attempt(work);
    const name = `${change.accountId} ${change.once.key}`;
    if (this.atWork.has(name)) throw new KeyAtWork();
    this.atWork.add(name);
    try {
      return (await this.idempotency.recall(change)) ?? (await this.runOnce(change, work));
    } finally {
      this.atWork.delete(name);
    }
  }

  /** Another process may take the key at the same moment: then its answer is this one's, too. */
  private async runOnce(change: Change, work: RecordWork): Promise<number> {
    let isTaken = false;
    try {
      return await this.attempt(async (statements) => {
        isTaken = false;
        await this.idempotency.take(statements, change);
        isTaken = true;
        const id = await work(statements);
        await this.idempotency.keep(statements, change, id);
        return id;
      });
    } catch (error) {
      if (isTaken) throw error;
      if (error instanceof UniqueViolation) return (await this.idempotency.recall(change)) ?? refuseAtWork();
      throw this.dialect.isLockTimeout(error) ? new KeyAtWork() : error;
    }
  }

  /**
   * Tries again what the database has undone, a deadlock say, and what a lost connection kept from being committed. A
   * connection that is lost while it commits may have written: that is for the client to find out.
   */
  async attempt(work: RecordWork): Promise<number> {
    const begun = performance.now();
    for (let attempt = 1; ; attempt++) {
      let isCommitting = false;
      try {
        return await this.transactions.runStatements(async (statements) => {
          const id = await work(statements);
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
  throw new KeyAtWork();
}
