import { Injectable } from '@nestjs/common';
import { audit } from '../database/audit/audit';
import { operatorContext } from '../common/write-context';
import { WriteExecutor } from '../database/writes/write-executor';
import { type RowValues, Dialect, type SqlExecutor } from '../database/dialect';
import { ENCRYPTED_COLUMNS, type EncryptedColumn } from './encrypted-columns';
import { SecretsKeys } from './secrets-keys';
import { SecretsCipher } from './secrets-cipher';

const BATCH = 200;
const MAX_PASSES = 100;

/** Re-encrypts every encrypted column with the newest key, while the service is running. */
@Injectable()
export class SecretsRotation {
  constructor(
    private readonly keys: SecretsKeys,
    private readonly cipher: SecretsCipher,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /**
   * Returns the number of re-encrypted handlers.
   * @throws Error when a key is missing or another process keeps encrypting with an old one; committed batches are kept
   */
  async run(): Promise<number> {
    this.keys.addKey();
    let rotated = 0;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      let found = 0;
      for (const column of ENCRYPTED_COLUMNS) {
        const counts = await this.pass(column);
        found += counts.found;
        if (column.isReported) rotated += counts.changed;
      }
      if (found > 0) continue;
      this.keys.trim();
      return rotated;
    }
    throw new Error('Another process keeps encrypting with an old key. Give it the new key first; see docs/operating.md.');
  }

  /** Counts the values found under an old key and those re-encrypted. */
  private async pass(column: EncryptedColumn): Promise<{ found: number; changed: number }> {
    const { table, name, account, audited } = column;
    const select = `SELECT id, ${account}, ${name}, ${audited?.id ?? 'NULL'} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`;
    let [found, changed, lastId] = [0, 0, 0];
    for (;;) {
      const rows = await this.dialect.read(select, [lastId, BATCH]);
      if (rows.length === 0) return { found, changed };
      lastId = Number(rows[rows.length - 1][0]);
      const old = rows.filter(([, , value]) => !this.cipher.isNewest(String(value)));
      found += old.length;
      if (old.length > 0) changed += await this.executor.runWithRetries((statements) => this.rotate(column, old, statements));
    }
  }

  /** Skips values changed since they were read; the next pass handles them. */
  private async rotate({ table, name, audited }: EncryptedColumn, rows: RowValues[], statements: SqlExecutor): Promise<number> {
    const update = `UPDATE ${table} SET ${name} = ? WHERE id = ? AND ${name} = ?`;
    let changed = 0;
    for (const [id, accountId, value, recordId] of rows) {
      const reencrypted = this.cipher.reencrypt(String(value), Number(accountId));
      const { affected } = await statements.write(update, [reencrypted, id, value]);
      changed += affected;
      if (affected === 0 || !audited) continue;
      const event = { action: 'rotate', record: audited.record, recordId: Number(recordId) } as const;
      await audit(statements, operatorContext(Number(accountId)), event);
    }
    return changed;
  }
}
