import { Injectable } from '@nestjs/common';
import type { SqlExecutor } from '../../database/dialect';
import { WriteExecutor, yieldToWriters } from '../../database/writes/transactions';

/** Handles a batch of the account's records, in a transaction; returns whether there may be more. */
export type AccountListener = (statements: SqlExecutor, accountId: number) => Promise<boolean>;

/** Announces that an account's records are about to be deleted. */
@Injectable()
export class AccountWithdrawals {
  private readonly listeners: AccountListener[] = [];

  constructor(private readonly executor: WriteExecutor) {}

  listen(listener: AccountListener): void {
    this.listeners.push(listener);
  }

  /** Before the first is deleted, in short transactions: the process may crash between the two. */
  async announce(accountId: number): Promise<void> {
    for (const listener of this.listeners) {
      while (await this.executor.runWithRetries((statements) => listener(statements, accountId))) await yieldToWriters();
    }
  }

  /** In each transaction that deletes records, before it does: requests in flight may have written more since. */
  async announceWithin(statements: SqlExecutor, accountId: number): Promise<void> {
    for (const listener of this.listeners) while (await listener(statements, accountId));
  }
}
