import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type EntityMetadata, MoreThanOrEqual, type ObjectLiteral } from 'typeorm';
import { operatorContext } from '../../platform/common/write-context';
import { audit } from '../../platform/database/events/audit';
import { Dialect } from '../../platform/database/dialect';
import { rowLock } from '../../platform/database/row-lock';
import { countChanges } from '../../platform/database/lists/list-changes';
import { type Transaction, WriteExecutor, yieldToWriters } from '../../platform/database/writes/transactions';
import { Account } from './account.entity';
import { ApiKey } from './api-key.entity';
import { AccountsService, OperatorError } from './accounts.service';

/** Handles a batch of the account's records, in a transaction; returns whether there may be more. */
type AccountListener = (transaction: Transaction, accountId: number) => Promise<boolean>;

/** Longer than any process caches a key. */
const KEY_CACHE_MS = 1_000;
const MAX_ATTEMPTS = 5;
/** Rows per transaction, to keep locks short. */
const BATCH = 1_000;

/** Number of rows by table; empty tables are omitted. */
type RecordCounts = Record<string, number>;

/**
 * Deletes an account while the service runs: disables it, then deletes its records in batches. An interrupted run leaves
 * the account disabled with the remaining records; the next run continues from there.
 */
@Injectable()
export class AccountDeletion {
  private readonly listeners: AccountListener[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly accounts: AccountsService,
  ) {}

  /** Calls the listener before records are deleted. */
  listen(listener: AccountListener): void {
    this.listeners.push(listener);
  }

  /**
   * Returns the numbers of deleted records. @throws OperatorError when the account has records and `withRecords` is false, or has rows in
   * tables of an extension that isn't loaded
   */
  async run(account: Account, withRecords: boolean): Promise<RecordCounts> {
    const { records, others } = accountTables(this.dataSource);
    const counts = await countRows(records, account, this.dataSource.manager);
    if (!withRecords) refuseRecords(account, counts);
    await this.refuseUnknownRows(account);
    await this.dialect.prepareBulk(this.dataSource);
    await this.disable(account);
    if (withRecords) {
      await this.announce(account.id);
      await this.deleteRecords(records, account.id);
    }
    try {
      await this.executor.run(async (transaction) => {
        const { manager } = transaction;
        // Locks the account's row, so that no row that references it can be inserted.
        await manager.findOne(Account, { where: { id: account.id }, lock: rowLock(manager) });
        if (!withRecords) refuseRecords(account, await countRows(records, account, manager));
        await this.announceWithin(transaction, account.id);
        await deleteRest([...records, ...others], account.id, transaction);
      });
    } catch (error) {
      if (error instanceof OperatorError && !account.disabled_datetime) await this.accounts.setEnabled(account.id, true);
      throw error;
    }
    return counts;
  }

  /** Rows that an extension has left behind would stop the deletion halfway. @throws OperatorError */
  private async refuseUnknownRows({ id, name }: Account): Promise<void> {
    const known = this.dataSource.entityMetadatas.map(({ tableName }) => tableName);
    const escape = (identifier: string) => this.dataSource.driver.escape(identifier);
    const holders: string[] = [];
    for (const [table, column] of await this.dialect.read<[table: string, column: string]>(this.dialect.sql.references, ['accounts'])) {
      if (known.includes(table)) continue;
      const found = await this.dialect.read(`SELECT 1 FROM ${escape(table)} WHERE ${escape(column)} = ? LIMIT 1`, [id]);
      if (found.length > 0) holders.push(table);
    }
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

  /** Calls the listeners before the first record is deleted, in separate short transactions: a crash in between loses nothing. */
  private async announce(accountId: number): Promise<void> {
    for (const listener of this.listeners) {
      while (await this.executor.run((transaction) => listener(transaction, accountId))) await yieldToWriters();
    }
  }

  /** Calls the listeners again in each transaction that deletes: requests in flight may have written since. */
  private async announceWithin(transaction: Transaction, accountId: number): Promise<void> {
    for (const listener of this.listeners) while (await listener(transaction, accountId));
  }

  /** Starts over if a new row references one being deleted, such as the row of a delivery attempt that has just ended. */
  private async deleteRecords(tables: EntityMetadata[], accountId: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        for (const table of tables) await this.deleteBatches(table, accountId);
        return;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || this.dialect.errorKind(error) !== 'referenced') throw error;
        await sleep(KEY_CACHE_MS);
      }
    }
  }

  /** The newest batch first: a row usually references older rows of its table, and must be deleted before them. */
  private async deleteBatches(table: EntityMetadata, accountId: number): Promise<void> {
    const { tableName, target, primaryColumns } = table;
    const key = primaryColumns[primaryColumns.length - 1].propertyPath;
    for (;;) {
      const newest = this.dataSource.createQueryBuilder(target, 'owned').select(`owned.${key}`, 'key').where(ownedBy(table, accountId));
      const first = await newest
        .orderBy(`owned.${key}`, 'DESC')
        .offset(BATCH - 1)
        .limit(1)
        .getRawOne<{ key: unknown }>();
      await this.executor.run(async (transaction) => {
        await this.announceWithin(transaction, accountId);
        await deleteOwned(transaction.manager, table, accountId, first && { [key]: MoreThanOrEqual(first.key) });
        await countChanges(this.dialect, transaction, accountId, { [tableName]: { uncounted: 1 } }); // in case the account is enabled again
      });
      if (!first) return; // the table is empty; no pause, so that no new row references the next table's rows
      await yieldToWriters();
    }
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
  const held = Object.entries(counts).map(([table, count]) => `${table} (${count})`);
  if (held.length === 0) return;
  throw new OperatorError(
    `The account ${JSON.stringify(name)} has records: ${held.join(', ')}. To delete the account and its records, run: accounts delete ${JSON.stringify(name)} --with-records`,
  );
}

async function deleteRest(tables: EntityMetadata[], accountId: number, transaction: Transaction): Promise<void> {
  for (const table of tables) await deleteOwned(transaction.manager, table, accountId);
  const { affected } = await transaction.manager.delete(Account, { id: accountId });
  if (affected) await audit(transaction, operatorContext(accountId), { action: 'delete', record: 'account', recordId: accountId });
}

/** Without listeners, which would count the deletion as a change of every account's list. */
async function deleteOwned(manager: EntityManager, table: EntityMetadata, accountId: number, also: ObjectLiteral = {}): Promise<void> {
  const where = { ...ownedBy(table, accountId), ...also };
  await manager.createQueryBuilder().delete().from(table.target).where(where).callListeners(false).execute();
}

function ownedBy(table: EntityMetadata, accountId: number): ObjectLiteral {
  return table.findColumnWithDatabaseName('account_id')!.createValueMap(accountId);
}

/**
 * The tables with an `account_id`, except the audit, which outlives the account. `records` have a foreign key to the account; referring
 * tables come before the tables they reference.
 */
function accountTables({ entityMetadatas }: DataSource): { records: EntityMetadata[]; others: EntityMetadata[] } {
  const owned = entityMetadatas.filter((table) => table.findColumnWithDatabaseName('account_id') && table.tableName !== 'audit');
  const isRecord = ({ target, foreignKeys }: EntityMetadata) =>
    target !== ApiKey && foreignKeys.some(({ referencedEntityMetadata }) => referencedEntityMetadata.target === Account);
  return { records: referringFirst(owned.filter(isRecord)), others: owned.filter((table) => !isRecord(table)) };
}

/** Sorts tables so that each comes before those it references. */
export function referringFirst(tables: EntityMetadata[]): EntityMetadata[] {
  const visited = new Set<EntityMetadata>();
  const sorted: EntityMetadata[] = [];
  const visit = (table: EntityMetadata): void => {
    if (visited.has(table)) return;
    visited.add(table);
    tables.filter(({ foreignKeys }) => foreignKeys.some((key) => key.referencedEntityMetadata === table)).forEach(visit);
    sorted.push(table);
  };
  tables.forEach(visit);
  return sorted;
}
