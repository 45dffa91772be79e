import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit } from '../../database/audit/audit';
import { operatorContext } from '../../common/write-context';
import { WriteExecutor } from '../../database/writes/write-executor';
import { Dialect, type Statements } from '../../database/dialect';
import { timestamp } from '../../common/time';
import type { Account } from './account.entity';
import { type AccountTable, accountTables } from './account-tables';
import { AccountsService, OperatorError } from './accounts.service';

/** By then every process has forgotten the account's keys. */
const FORGOTTEN_MILLISECONDS = 1_000;
/** Rows deleted in one transaction, so that no lock is held for long. */
const BATCH = 1_000;
/** After each batch: on SQLite, a writer that waits for the lock asks for it every 20 ms. */
const PAUSE_MILLISECONDS = 30;

/** How many records there are, by table; tables without any are left out. */
export type RecordCounts = Record<string, number>;

/**
 * Deletes an account with its keys while the service runs: disables it first, then deletes its records in batches. One
 * that is interrupted leaves the account disabled with the records that are left, and the next run goes on from there.
 */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly accounts: AccountsService,
  ) {}

  /** Returns what is deleted. @throws OperatorError when the account has records and they are not to be deleted */
  async run(account: Account, withRecords: boolean): Promise<RecordCounts> {
    const counts = await this.count(account, (sql, values) => this.dialect.read(sql, values));
    if (!withRecords) refuseRecords(account, counts);
    await this.dialect.prepareBulk(this.dataSource);
    await this.end(account);
    if (withRecords) for (const table of this.tables.records) await this.deleteBatches(table, account.id);
    try {
      await this.executor.runWithRetries((statements) => this.deleteRest(statements, account, withRecords));
    } catch (error) {
      if (error instanceof OperatorError && !account.disabled_datetime) await this.accounts.setEnabled(account.id, true);
      throw error;
    }
    return counts;
  }

  private get tables() {
    return accountTables(this.dataSource);
  }

  private async count({ id }: Account, read: Statements['read']): Promise<RecordCounts> {
    const counts: RecordCounts = {};
    for (const { name } of this.tables.records) {
      const [[count]] = await read(`SELECT COUNT(*) FROM ${name} WHERE account_id = ?`, [id]);
      if (Number(count) > 0) counts[name] = Number(count);
    }
    return counts;
  }

  /** From here on no request writes for the account, but for one that was let in before and takes long. */
  private async end({ id, disabled_datetime }: Account): Promise<void> {
    await this.accounts.setEnabled(id, false);
    const isForgotten = disabled_datetime !== null && disabled_datetime < timestamp(new Date(Date.now() - 2 * FORGOTTEN_MILLISECONDS));
    if (!isForgotten) await sleep(FORGOTTEN_MILLISECONDS);
  }

  /** The newest first: a record that refers to another of its table is mostly newer. */
  private async deleteBatches({ name, key }: AccountTable, accountId: number): Promise<void> {
    const select = `SELECT ${key} FROM ${name} WHERE account_id = ? ORDER BY ${key} DESC LIMIT 1 OFFSET ${BATCH - 1}`;
    for (;;) {
      const [first] = await this.dialect.read(select, [accountId]);
      if (!first) return;
      await this.executor.runWithRetries(async (statements) => {
        return (await statements.write(`DELETE FROM ${name} WHERE account_id = ? AND ${key} >= ?`, [accountId, first[0]])).affected;
      });
      await sleep(PAUSE_MILLISECONDS);
    }
  }

  /** Holds the account's row, so that nobody inserts what refers to it. */
  private async deleteRest(statements: Statements, account: Account, withRecords: boolean): Promise<number> {
    await statements.read(`SELECT id FROM accounts WHERE id = ?${this.dialect.forUpdate}`, [account.id]);
    if (!withRecords) refuseRecords(account, await this.count(account, (sql, values) => statements.read(sql, values)));
    const { records, others } = this.tables;
    for (const { name } of [...records, ...others]) await statements.write(`DELETE FROM ${name} WHERE account_id = ?`, [account.id]);
    const { affected } = await statements.write('DELETE FROM accounts WHERE id = ?', [account.id]);
    if (affected > 0) await audit(statements, operatorContext(account.id), { action: 'delete', record: 'account', recordId: account.id });
    return affected;
  }
}

function refuseRecords({ name }: Account, counts: RecordCounts): void {
  const held = Object.entries(counts).map(([table, count]) => `${table} (${count})`);
  if (held.length === 0) return;
  throw new OperatorError(
    `The account ${JSON.stringify(name)} has records: ${held.join(', ')}. To delete them with it: accounts delete ${JSON.stringify(name)} --with-records`,
  );
}
