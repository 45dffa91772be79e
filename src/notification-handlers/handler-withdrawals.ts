import { Injectable } from '@nestjs/common';
import type { SqlExecutor } from '../database/dialect';

/** Runs in the transaction of the update. */
export type WithdrawalListener = (statements: SqlExecutor, handlerId: number) => Promise<void>;

/** Tells others when a handler is disabled or gets another type. */
@Injectable()
export class HandlerWithdrawals {
  private readonly listeners: WithdrawalListener[] = [];

  listen(listener: WithdrawalListener): void {
    this.listeners.push(listener);
  }

  async announce(statements: SqlExecutor, handlerId: number): Promise<void> {
    for (const listener of this.listeners) await listener(statements, handlerId);
  }
}
