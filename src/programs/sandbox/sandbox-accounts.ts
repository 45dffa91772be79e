import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { referringFirst } from '../../auth/accounts/account-deletion';
import { AccountsService } from '../../auth/accounts/accounts.service';
import { ApiKeysService } from '../../auth/accounts/api-keys.service';
import type { ScopeName } from '../../auth/route-policies';
import { Dialect } from '../../platform/database/dialect';
import { countChanges } from '../../platform/database/lists/list-changes';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import type { AccountOptions, SandboxAccount } from './sandbox.dto';

/** Tables that a reset keeps: they belong to no account, or only count changes. */
const KEPT = new Set(['event_log', 'event_epochs', 'installations', 'scheduled_jobs', 'list_changes']);
/** Id of the account that a reset keeps, with its keys. */
const FIRST = 1;
const CONDITIONS = new Map([
  ['accounts', `WHERE id <> ${FIRST}`],
  ['api_keys', `WHERE account_id <> ${FIRST}`],
]);

@Injectable()
export class SandboxAccounts {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
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
  async deleteOthers(): Promise<void> {
    const tables = referringFirst(this.dataSource.entityMetadatas.filter(({ tableName }) => !KEPT.has(tableName)));
    const owned = tables.filter((table) => table.findColumnWithDatabaseName('account_id'));
    const changes = Object.fromEntries(owned.map(({ tableName }) => [tableName, { uncounted: 1 }]));
    await this.executor.run(async (statements) => {
      for (const { tableName } of tables) await statements.write(`DELETE FROM ${tableName} ${CONDITIONS.get(tableName) ?? ''}`, []);
      await countChanges(this.dialect, statements, FIRST, changes);
    });
  }
}
