import { Injectable } from '@nestjs/common';

export type AccountListener = (accountId: number) => Promise<void>;

/** Tells others that the records of an account are about to be deleted, by a process that may crash between the two. */
@Injectable()
export class AccountWithdrawals {
  private readonly listeners: AccountListener[] = [];

  listen(listener: AccountListener): void {
    this.listeners.push(listener);
  }

  async announce(accountId: number): Promise<void> {
    for (const listener of this.listeners) await listener(accountId);
  }
}
