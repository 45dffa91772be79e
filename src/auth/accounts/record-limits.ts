import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import type { SqlExecutor } from '../../platform/database/dialect';
import { rowLock } from '../../platform/database/row-lock';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { refusal } from '../../platform/common/errors';
import { Account } from './account.entity';

/** MAX_DOMAINS and MAX_HANDLERS: how many records an account may have. */
@Injectable()
export class RecordLimits {
  constructor(
    private readonly config: Config,
    private readonly executor: WriteExecutor,
  ) {}

  /**
   * Call before inserting. Locks the account's row, so that concurrent inserts are counted, except those on another Galera node, where
   * FOR UPDATE locks nothing.
   * @throws Refusal 409 limit_reached
   */
  async check(statements: SqlExecutor, accountId: number, table: 'domains' | 'notification_handlers'): Promise<void> {
    const { max, noun } = {
      domains: { max: this.config.domains.max, noun: 'domain' },
      notification_handlers: { max: this.config.maxHandlers, noun: 'notification handler' },
    }[table];
    if (max === undefined) return;
    const manager = this.executor.managerOf(statements);
    await manager.findOne(Account, { where: { id: accountId }, lock: rowLock(manager) });
    if ((await manager.countBy(table, { account_id: accountId })) < max) return;
    const records = max === 1 ? noun : `${noun}s`;
    throw refusal('limit_reached', `This account may have at most ${max} ${records}; delete one, or ask the operator for more.`);
  }
}
