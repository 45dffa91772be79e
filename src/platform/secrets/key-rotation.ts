import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { operatorContext } from '../common/write-context';
import { ConfigError } from '../config/config';
import { logAuditedEvent } from '../database/events/event-log';
import { type Transaction, WriteExecutor } from '../database/writes/transactions';
import { SecretsCipher, SecretsKeys } from './secrets-cipher';

/** A column that SecretsCipher encrypts. Its table has an `id`. */
interface EncryptedColumn {
  table: string;
  name: string;
  /** What the column holds, in the plural, for error messages: `Stored keys`. */
  contents: string;
  /** If the values belong to accounts: the noun of the record that the audit log names, and the column with that record's id. */
  audited?: { record: string; id: string };
}

interface EncryptedRow {
  [column: string]: string | number;
  id: number;
}

const STORED_KEYS: EncryptedColumn = { table: 'stored_keys', name: 'secret', contents: 'Stored keys' };

const ROWS_PER_BATCH = 200;
const MAX_PASSES = 100;

/** Checks and rotates the keys of every encrypted column. */
@Injectable()
export class KeyRotation {
  private readonly columns = [STORED_KEYS];

  constructor(
    private readonly keys: SecretsKeys,
    private readonly cipher: SecretsCipher,
    private readonly dataSource: DataSource,
    private readonly executor: WriteExecutor,
  ) {}

  /** Call it in the constructor of the area's module: the rotation command runs no lifecycle hooks. */
  add(column: EncryptedColumn): void {
    this.columns.splice(-1, 0, column); // before STORED_KEYS, whose error would tell an operator less
  }

  /**
   * Detects a lost key at startup, before anything is encrypted with another key.
   * @throws ConfigError when the key of a column's newest value is missing
   */
  async checkKeys(): Promise<void> {
    for (const { table, name, contents } of this.columns) {
      const [newest] = await this.dataSource.getRepository<EncryptedRow>(table).find({ order: { id: 'DESC' }, take: 1 });
      if (!newest || this.cipher.hasKeyFor(String(newest[name]))) continue;
      throw new ConfigError(`${contents} are encrypted with a key that is in neither SECRETS_KEY nor the key file: restore that key.`);
    }
  }

  /**
   * Adds a key to the key file, if that is used, and re-encrypts every value with the newest key. The service may be running. Returns the
   * number of re-encrypted values per table.
   * @throws Error when a key is missing or another process keeps encrypting with an old one; committed batches are kept
   */
  async rotate(): Promise<ReadonlyMap<string, number>> {
    this.keys.addKey();
    const rotatedCounts = new Map<string, number>();
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      let oldCount = 0;
      for (const column of this.columns) {
        const counts = await this.rotateColumn(column);
        oldCount += counts.oldCount;
        rotatedCounts.set(column.table, (rotatedCounts.get(column.table) ?? 0) + counts.changedCount);
      }
      if (oldCount > 0) continue;
      this.keys.dropOldKeys();
      return rotatedCounts;
    }
    throw new Error('Another process keeps encrypting with an old key. Give it the new key first; see docs/operate/secrets.md.');
  }

  /** Returns how many values had an old key, and how many were re-encrypted. */
  private async rotateColumn(column: EncryptedColumn): Promise<{ oldCount: number; changedCount: number }> {
    const { table, name } = column;
    const repository = this.dataSource.getRepository<EncryptedRow>(table);
    let [oldCount, changedCount, lastId] = [0, 0, 0];
    for (;;) {
      const rows = await repository.find({ where: { id: MoreThan(lastId) }, order: { id: 'ASC' }, take: ROWS_PER_BATCH });
      if (rows.length === 0) return { oldCount, changedCount };
      lastId = rows[rows.length - 1].id;
      const oldRows = rows.filter((row) => !this.cipher.isNewest(String(row[name])));
      oldCount += oldRows.length;
      if (oldRows.length > 0) changedCount += await this.executor.run((transaction) => this.reencrypt(column, oldRows, transaction));
    }
  }

  /** Skips values changed since they were read; the next pass handles them. */
  private async reencrypt({ table, name, audited }: EncryptedColumn, rows: EncryptedRow[], transaction: Transaction): Promise<number> {
    let changedCount = 0;
    for (const row of rows) {
      const accountId = audited ? Number(row.account_id) : 0;
      const value = String(row[name]);
      const update = transaction.manager.createQueryBuilder().update<EncryptedRow>(table).callListeners(false); // the records themselves don't change
      const { affected } = await update
        .set({ [name]: this.cipher.reencrypt(value, accountId) })
        .where({ id: row.id, [name]: value })
        .execute();
      changedCount += affected ?? 0;
      if (!affected || !audited) continue;
      const recordId = Number(row[audited.id]);
      await logAuditedEvent(transaction, operatorContext(accountId), { action: 'rotate', record: audited.record, recordId });
    }
    return changedCount;
  }
}
