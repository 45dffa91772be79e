import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type EntityMetadata, MoreThanOrEqual, type ObjectLiteral } from 'typeorm';
import { operatorContext } from '../../platform/common/write-context';
import { logAuditedEvent } from '../../platform/database/events/event-log';
import { Dialect } from '../../platform/database/dialect';
import { cascadesOf, referrersWithoutEntity, sortReferringFirst } from '../../platform/database/foreign-keys';
import { rowLock } from '../../platform/database/row-lock';
import { type Transaction, WriteExecutor, yieldToWriters } from '../../platform/database/writes/transactions';
import { Account } from './account.entity';
import { ApiKey } from './api-key.entity';
import { AccountsService, OperatorError } from './accounts.service';

/** Called before these rows of the account are deleted, in the same transaction. */
type DeletionHook = (transaction: Transaction, accountId: number, rows: ObjectLiteral) => Promise<void>;

/** Longer than any process caches a key. */
const KEY_CACHE_MS = 1_000;
const MAX_ATTEMPTS = 5;
/** Rows per transaction, to keep locks short. */
const ROWS_PER_BATCH = 1_000;

/** Number of rows by table; empty tables are omitted. */
type RecordCounts = Record<string, number>;

type AccountTables = Record<'records' | 'others', EntityMetadata[]>;

/**
 * Deletes an account while the service runs: disables it, then deletes its records in batches. An interrupted run leaves
 * the account disabled with the remaining records; the next run continues from there.
 */
@Injectable()
export class AccountDeletion {
  private readonly hooks = new Map<EntityMetadata['target'], DeletionHook>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly accounts: AccountsService,
  ) {}

  /**
   * Registers a hook for a table. Its rows are then deleted first, after only the rows that reference them; tables that its cascades
   * empty are skipped. Call it in a module's constructor: accounts are deleted by a command, which runs no lifecycle hooks.
   */
  beforeDelete(entity: EntityMetadata['target'], hook: DeletionHook): void {
    this.hooks.set(entity, hook);
  }

  /**
   * Returns the number of deleted records by table. @throws OperatorError when the account has records and `withRecords` is false, or has
   * rows in tables of an extension that isn't loaded
   */
  async run(account: Account, withRecords: boolean): Promise<RecordCounts> {
    const tables = this.findAccountTables();
    const counts = await countRows(tables.records, account, this.dataSource.manager);
    if (!withRecords) refuseRecords(account, counts);
    await this.refuseUnknownRows(account);
    await this.dialect.prepareBulk(this.dataSource);
    await this.disable(account);
    try {
      while (await this.deleteWithRetries((transaction) => this.deleteBatch(transaction, tables, account, withRecords)))
        await yieldToWriters();
    } catch (error) {
      if (error instanceof OperatorError && !account.disabled_datetime) await this.accounts.setEnabled(account.id, true);
      throw error;
    }
    return counts;
  }

  /** Rows that an extension has left behind would stop the deletion halfway. @throws OperatorError */
  private async refuseUnknownRows({ id, name }: Account): Promise<void> {
    const holders = await referrersWithoutEntity(this.dataSource, this.dialect, 'accounts', id);
    if (holders.length === 0) return;
    throw new OperatorError(
      `The account ${JSON.stringify(name)} has rows in tables of an extension that isn't loaded: ${holders.join(', ')}. Add the extension to EXTENSIONS, or delete these rows. Nothing was deleted.`,
    );
  }

  /** Disables the account and waits until no process accepts its keys; only requests already admitted can still write. */
  private async disable({ id }: Account): Promise<void> {
    await this.accounts.setEnabled(id, false);
    await sleep(KEY_CACHE_MS);
  }

  /** Retries when other work holds locks that a batch needs, or waits for the account's row, which the batch has locked. */
  private async deleteWithRetries(deleteBatch: (transaction: Transaction) => Promise<boolean>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.executor.run(deleteBatch);
      } catch (error) {
        const kind = this.dialect.errorKind(error);
        if (attempt === MAX_ATTEMPTS || (kind !== 'rolled back' && kind !== 'lock timeout')) throw error;
        await sleep(KEY_CACHE_MS);
      }
    }
  }

  /**
   * Deletes a batch of records, or the last records and the account; returns whether there are more. Locks the account's row, so that no
   * row that references it is inserted meanwhile. Starts at the first table each time: background work may have written in between.
   */
  private async deleteBatch(transaction: Transaction, tables: AccountTables, account: Account, withRecords: boolean): Promise<boolean> {
    const { manager } = transaction;
    const { id } = account;
    await manager.findOne(Account, { where: { id }, lock: rowLock(manager) });
    if (!withRecords) refuseRecords(account, await countRows(tables.records, account, manager));
    let left = ROWS_PER_BATCH;
    for (const table of tables.records) {
      left -= await this.deleteNewest(transaction, table, id, left);
      if (left > 0) continue;
      const names = tables.records.flatMap(({ tableName }) => [tableName, ...cascadesOf(this.dataSource, tableName)]);
      const changes = names.map((name) => [name, { uncounted: 1 }]);
      await transaction.changed(id, Object.fromEntries(changes)); // in case the account is enabled again
      return true;
    }
    for (const table of tables.others) await deleteOwned(manager, table, ownedBy(table, id));
    const { affected } = await manager.delete(Account, { id });
    if (affected) await logAuditedEvent(transaction, operatorContext(id), { action: 'delete', record: 'account', recordId: id });
    return false;
  }

  /** Deletes about `max` rows, newest first: a row usually references older rows of its table. Returns their number. */
  private async deleteNewest(transaction: Transaction, table: EntityMetadata, accountId: number, max: number): Promise<number> {
    const { manager } = transaction;
    const { target, primaryColumns } = table;
    const key = primaryColumns[primaryColumns.length - 1].propertyPath;
    const owned = ownedBy(table, accountId);
    const newest = manager.createQueryBuilder(target, 'owned').select(`owned.${key}`, 'key').where(owned).orderBy(`owned.${key}`, 'DESC');
    const first = await newest
      .offset(max - 1)
      .limit(1)
      .getRawOne<{ key: unknown }>();
    const rows = first ? { ...owned, [key]: MoreThanOrEqual(first.key) } : owned;
    await this.hooks.get(target)?.(transaction, accountId, rows);
    return deleteOwned(manager, table, rows);
  }

  /**
   * The tables with an `account_id`, except the audit log, which outlives the account. `records` have a foreign key to the account;
   * referring tables come before the tables they reference.
   */
  private findAccountTables(): AccountTables {
    const { entityMetadatas } = this.dataSource;
    const owned = entityMetadatas.filter((table) => table.findColumnWithDatabaseName('account_id') && table.tableName !== 'events');
    const isDeletedByCascade = ({ foreignKeys }: EntityMetadata) =>
      foreignKeys.some(
        ({ onDelete, referencedEntityMetadata }) => onDelete === 'CASCADE' && this.hooks.has(referencedEntityMetadata.target),
      );
    const records = owned
      .filter((table) => isRecord(table) && !isDeletedByCascade(table))
      .sort((a, b) => Number(this.hooks.has(b.target)) - Number(this.hooks.has(a.target)));
    return { records: sortReferringFirst(records), others: owned.filter((table) => !isRecord(table)) };
  }
}

/** Counts an account's rows by table. Omits tables whose rows belong to another record and are deleted by cascade. */
async function countRows(tables: EntityMetadata[], { id }: Account, manager: EntityManager): Promise<RecordCounts> {
  const counts: RecordCounts = {};
  for (const table of tables.filter(({ foreignKeys }) => !foreignKeys.some(({ onDelete }) => onDelete === 'CASCADE'))) {
    const count = await manager.countBy(table.target, ownedBy(table, id));
    if (count > 0) counts[table.tableName] = count;
  }
  return counts;
}

function refuseRecords({ name }: Account, counts: RecordCounts): void {
  const tables = Object.entries(counts).map(([table, count]) => `${table} (${count})`);
  if (tables.length === 0) return;
  throw new OperatorError(
    `The account ${JSON.stringify(name)} has records: ${tables.join(', ')}. To delete the account and its records, run: accounts delete ${JSON.stringify(name)} --with-records`,
  );
}

/** Runs no listeners, which would count the deletion as a change of every account's list. Returns the number of rows. */
async function deleteOwned(manager: EntityManager, table: EntityMetadata, rows: ObjectLiteral): Promise<number> {
  const { affected } = await manager.createQueryBuilder().delete().from(table.target).where(rows).callListeners(false).execute();
  return affected ?? 0;
}

function ownedBy(table: EntityMetadata, accountId: number): ObjectLiteral {
  return table.findColumnWithDatabaseName('account_id')!.createValueMap(accountId);
}

function isRecord({ target, foreignKeys }: EntityMetadata): boolean {
  return target !== ApiKey && foreignKeys.some(({ referencedEntityMetadata }) => referencedEntityMetadata.target === Account);
}
