import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { SharedRuns } from '../common/shared-runs';

/** Takes back what waits for a handler that is disabled, or of another type. */
export type WithdrawalListener = (accountId: number, handlerId: number) => Promise<void>;

/** A million deliveries take longer. */
const MAX_WAIT_MS = 2_000;

/** Tells others, in the background, when a handler may have been disabled or got another type. */
@Injectable()
export class HandlerWithdrawals {
  private readonly logger = new Logger(HandlerWithdrawals.name);
  private readonly listeners: WithdrawalListener[] = [];
  private readonly runs = new SharedRuns<void>();

  listen(listener: WithdrawalListener): void {
    this.listeners.push(listener);
  }

  /** After the update. Returns whether all listeners have finished; they go on after the wait. */
  announce(accountId: number, handlerId: number): Promise<boolean> {
    const work = this.runs
      .run(`${accountId} ${handlerId}`, () => this.callListeners(accountId, handlerId))
      .then(
        () => true,
        (error: unknown) => {
          this.logger.warn({ message: 'Deliveries of a withdrawn handler are cancelled when they are due.', err: error });
          return false;
        },
      );
    return Promise.race([work, sleep(MAX_WAIT_MS, false, { ref: false })]);
  }

  private async callListeners(accountId: number, handlerId: number): Promise<void> {
    for (const listener of this.listeners) await listener(accountId, handlerId);
  }
}
