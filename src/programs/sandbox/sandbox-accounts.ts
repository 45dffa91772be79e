import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sortReferringFirst } from '../../platform/database/foreign-keys';
import { AccountsService } from '../../auth/accounts/accounts.service';
import { ApiKeysService } from '../../auth/accounts/api-keys.service';
import type { ScopeName } from '../../auth/route-policies';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import type { AccountOptions, SandboxAccount } from './sandbox.dto';

/** Tables that a reset keeps: they belong to no account, or only count changes. */
const KEPT_TABLES = new Set(['event_log', 'event_epochs', 'installations', 'scheduled_jobs', 'list_changes']);
/** Id of the account that a reset keeps, with its keys. */
const KEPT_ACCOUNT_ID = 1;
const DELETE_CONDITIONS = new Map([
  ['accounts', `id <> ${KEPT_ACCOUNT_ID}`],
  ['api_keys', `account_id <> ${KEPT_ACCOUNT_ID}`],
]);

@Injectable()
export class SandboxAccounts {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly dataSource: DataSource,
    private readonly executor: WriteExecutor,
  ) {}

  /** @throws OperatorError for a name that is taken, or an unknown scope */
  async create({ name = `account-${randomUUID()}`, scopes }: AccountOptions = {}): Promise<SandboxAccount> {
    let key = '';
    const { id } = await this.accounts.create(name, async (transaction, { id: accountId }) => {
      ({ key } = await this.keys.insert(transaction, { accountId, name: 'sandbox', scopes: scopes as ScopeName[] | undefined }));
    });
    return { id, name, key };
  }

  /** Deletes all rows of all accounts, except the first account and its keys. */
  async deleteOtherAccounts(): Promise<void> {
    const tables = sortReferringFirst(this.dataSource.entityMetadatas.filter(({ tableName }) => !KEPT_TABLES.has(tableName)));
    await this.executor.run(async ({ manager }) => {
      for (const { target, tableName } of tables) {
        const deletion = manager.createQueryBuilder().delete().from(target);
        await deletion.where(DELETE_CONDITIONS.get(tableName) ?? 'TRUE').execute();
      }
    });
  }
}
