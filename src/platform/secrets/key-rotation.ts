import { Injectable } from '@nestjs/common';
import { operatorContext } from '../common/write-context';
import { ConfigError } from '../config/config';
import { audit } from '../database/events/audit';
import { Dialect, type SqlExecutor } from '../database/dialect';
import { WriteExecutor } from '../database/writes/transactions';
import { SecretsCipher, SecretsKeys } from './secrets-cipher';

/** A column that SecretsCipher encrypts. Its table has an `id`. */
interface EncryptedColumn {
  table: string;
  name: string;
  /** For messages. */
  contents: string;
  /** How rotation is audited, if the values belong to accounts. */
  audited?: { record: string; id: string };
}

type EncryptedRow = [id: number, accountId: number, value: string, recordId: number | null];

const SETTINGS: EncryptedColumn = {
  ...{ table: 'notification_handlers', name: 'settings', contents: 'Notification handler settings' },
  audited: { record: 'notification handler', id: 'id' },
};
const SIGNING_SECRETS: EncryptedColumn = {
  ...{ table: 'signing_secrets', name: 'secret', contents: 'Signing secrets' },
  audited: { record: 'signing secret', id: 'handler_id' },
};
const VERIFICATION_KEYS: EncryptedColumn = { table: 'verification_keys', name: 'secret', contents: 'Verification keys' };

const ENCRYPTED_COLUMNS = [SETTINGS, SIGNING_SECRETS, VERIFICATION_KEYS];

const BATCH = 200;
const MAX_PASSES = 100;

/** Checks and rotates the keys of every encrypted column. */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly keys: SecretsKeys,
    private readonly cipher: SecretsCipher,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /**
   * Detects a lost key at startup, before anything is encrypted with another key.
   * @throws ConfigError when the key of the newest value of a column is missing
   */
  async checkKeys(): Promise<void> {
    for (const { table, name, contents } of ENCRYPTED_COLUMNS) {
      const [newest] = await this.dialect.read<[string]>(`SELECT ${name} FROM ${table} ORDER BY id DESC LIMIT 1`, []);
      if (!newest || this.cipher.holdsKeyOf(newest[0])) continue;
      throw new ConfigError(`${contents} are encrypted with a key that is in neither SECRETS_KEY nor the key file: restore that key.`);
    }
  }

  /**
   * Adds a key to the key file, if that is used, and re-encrypts every value with the newest key, while the service is running. Returns the
   * number of re-encrypted handlers.
   * @throws Error when a key is missing or another process keeps encrypting with an old one; committed batches are kept
   */
  async rotate(): Promise<number> {
    this.keys.addKey();
    let rotated = 0;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      let found = 0;
      for (const column of ENCRYPTED_COLUMNS) {
        const counts = await this.pass(column);
        found += counts.found;
        if (column === SETTINGS) rotated += counts.changed;
      }
      if (found > 0) continue;
      this.keys.trim();
      return rotated;
    }
    throw new Error('Another process keeps encrypting with an old key. Give it the new key first; see docs/operating.md.');
  }

  /** Returns how many values had an old key, and how many were re-encrypted. */
  private async pass(column: EncryptedColumn): Promise<{ found: number; changed: number }> {
    const { table, name, audited } = column;
    const owner = audited ? `account_id, ${name}, ${audited.id}` : `0, ${name}, NULL`;
    const select = `SELECT id, ${owner} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`;
    let [found, changed, lastId] = [0, 0, 0];
    for (;;) {
      const rows = await this.dialect.read<EncryptedRow>(select, [lastId, BATCH]);
      if (rows.length === 0) return { found, changed };
      lastId = rows[rows.length - 1][0];
      const old = rows.filter(([, , value]) => !this.cipher.isNewest(value));
      found += old.length;
      if (old.length > 0) changed += await this.executor.run((statements) => this.reencrypt(column, old, statements));
    }
  }

  /** Skips values changed since they were read; the next pass handles them. */
  private async reencrypt({ table, name, audited }: EncryptedColumn, rows: EncryptedRow[], statements: SqlExecutor): Promise<number> {
    const update = `UPDATE ${table} SET ${name} = ? WHERE id = ? AND ${name} = ?`;
    let changed = 0;
    for (const [id, accountId, value, recordId] of rows) {
      const reencrypted = this.cipher.reencrypt(value, accountId);
      const { affected } = await statements.write(update, [reencrypted, id, value]);
      changed += affected;
      if (affected === 0 || !audited) continue;
      await audit(statements, operatorContext(accountId), { action: 'rotate', record: audited.record, recordId });
    }
    return changed;
  }
}
