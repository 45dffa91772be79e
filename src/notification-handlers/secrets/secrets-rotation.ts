import { Injectable } from '@nestjs/common';
import { audit } from '../../database/audit/audit';
import { operatorContext } from '../../common/write-context';
import { WriteExecutor } from '../../database/writes/write-executor';
import { type RowValues, Dialect, type SqlExecutor } from '../../database/dialect';
import { SecretsKeys } from './secrets-keys';
import { SettingsCipher } from './settings-cipher';

const BATCH = 200;
const MAX_PASSES = 100;
const SELECT = 'SELECT id, account_id, settings FROM notification_handlers WHERE id > ? ORDER BY id LIMIT ?';
/** Skips settings changed since they were read; the next pass handles them. */
const UPDATE = 'UPDATE notification_handlers SET settings = ? WHERE id = ? AND settings = ?';

/** Re-encrypts all settings with the newest key, while the service is running. */
@Injectable()
export class SecretsRotation {
  constructor(
    private readonly keys: SecretsKeys,
    private readonly cipher: SettingsCipher,
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
      const { found, changed } = await this.pass();
      rotated += changed;
      if (found > 0) continue;
      this.keys.trim();
      return rotated;
    }
    throw new Error('Another process keeps encrypting with an old key. Give it the new key first; see docs/operating.md.');
  }

  /** Counts the settings found under an old key and those re-encrypted. */
  private async pass(): Promise<{ found: number; changed: number }> {
    let [found, changed, lastId] = [0, 0, 0];
    for (;;) {
      const rows = await this.dialect.read(SELECT, [lastId, BATCH]);
      if (rows.length === 0) return { found, changed };
      lastId = Number(rows[rows.length - 1][0]);
      const old = rows.filter(([, , settings]) => !this.cipher.isNewest(String(settings)));
      found += old.length;
      if (old.length > 0) changed += await this.executor.runWithRetries((statements) => this.rotate(old, statements));
    }
  }

  private async rotate(rows: RowValues[], statements: SqlExecutor): Promise<number> {
    let changed = 0;
    for (const [id, accountId, settings] of rows) {
      const reencrypted = this.cipher.reencrypt(String(settings), Number(accountId));
      const { affected } = await statements.write(UPDATE, [reencrypted, id, settings]);
      const event = { action: 'rotate', record: 'notification handler', recordId: Number(id) } as const;
      if (affected > 0) await audit(statements, operatorContext(Number(accountId)), event);
      changed += affected;
    }
    return changed;
  }
}
