import { Injectable } from '@nestjs/common';
import type { RecordTable } from '../../platform/database/records/record-table';
import { rowLock } from '../../platform/database/row-lock';
import type { Transaction } from '../../platform/database/writes/transactions';
import { RequestError } from '../../platform/common/errors';
import { Account } from './account.entity';

type LimitedTable = Pick<RecordTable<unknown>, 'name' | 'noun'>;

/** How many records of a table an account may have. */
@Injectable()
export class RecordLimits {
  /**
   * Call before inserting. Locks the account's row, so that concurrent inserts are counted, except those on another Galera node, where
   * FOR UPDATE locks nothing. Unlimited if `max` is undefined.
   * @throws RequestError 409 limit_reached
   */
  async check(transaction: Transaction, accountId: number, { name, noun }: LimitedTable, max?: number): Promise<void> {
    if (max === undefined) return;
    const { manager } = transaction; // not earlier: once TypeORM has joined the transaction, no statement can be sent along with the commit
    await manager.findOne(Account, { where: { id: accountId }, lock: rowLock(manager) });
    if ((await manager.countBy(name, { account_id: accountId })) < max) return;
    const records = max === 1 ? noun : `${noun}s`;
    throw RequestError.of('limit_reached', `This account may have at most ${max} ${records}; delete one, or ask the operator for more.`);
  }
}
