import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { referringFirst } from '../auth/accounts/account-deletion';
import { Dialect } from '../database/dialect';
import { countChanges } from '../database/lists/list-changes';
import { WriteExecutor } from '../database/writes/transactions';

/** What the service itself keeps, whatever the accounts do. */
const KEPT = new Set(['event_log', 'event_epochs', 'installations', 'extensions', 'scheduled_jobs', 'list_changes', 'domain_change_sequence']);
/** The first account keeps its key. */
const FIRST = 1;
const CONDITIONS = new Map([
  ['accounts', `WHERE id <> ${FIRST}`],
  ['api_keys', `WHERE account_id <> ${FIRST}`],
]);

/** Deletes every row of the accounts', but the first account and its key. */
@Injectable()
export class SandboxReset {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  async run(): Promise<void> {
    const tables = referringFirst(this.dataSource.entityMetadatas.filter(({ tableName }) => !KEPT.has(tableName)));
    const owned = tables.filter((table) => table.findColumnWithDatabaseName('account_id'));
    const changes = Object.fromEntries(owned.map(({ tableName }) => [tableName, { uncounted: 1 }]));
    await this.executor.runStatements(async (statements) => {
      for (const { tableName } of tables) await statements.write(`DELETE FROM ${tableName} ${CONDITIONS.get(tableName) ?? ''}`, []);
      await countChanges(this.dialect, statements, FIRST, changes);
    });
  }
}
