import { Injectable } from '@nestjs/common';
import { audit } from '../../database/audit/audit';
import { operatorContext } from '../../common/write-context';
import { WriteExecutor } from '../../database/writes/write-executor';
import { type RowValues, Dialect, type Statements } from '../../database/dialect';
import { SecretsKeys } from './secrets-keys';
import { SettingsCipher } from './settings-cipher';

const BATCH = 200;
const MAX_PASSES = 100;
const SELECT = 'SELECT id, account_id, settings FROM notification_handlers WHERE id > ? ORDER BY id LIMIT ?';
/** Only what is still as it was read: what the service has written meanwhile is left to the next pass. */
const UPDATE = 'UPDATE notification_handlers SET settings = ? WHERE id = ? AND settings = ?';

/** Encrypts every handler's settings under the newest key, while the service runs. */
@Injectable()
export class SecretsRotation {
  constructor(
    private readonly keys: SecretsKeys,
    private readonly cipher: SettingsCipher,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /**
   * Returns how many handlers' settings were encrypted anew.
   * @throws Error when one can't be read, or a process goes on writing under another key; what was done is kept
   */
  async run(): Promise<number> {
    this.keys.renew();
    let rotated = 0;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const { found, changed } = await this.pass();
      rotated += changed;
      if (found > 0) continue;
      this.keys.trim();
      return rotated;
    }
    throw new Error('A process of the service goes on encrypting under another key: give it the new one first, as docs/operating.md says.');
  }

  /** How many were under another key, and how many of them are no longer. */
  private async pass(): Promise<{ found: number; changed: number }> {
    let [found, changed, lastId] = [0, 0, 0];
    for (;;) {
      const rows = await this.dialect.read(SELECT, [lastId, BATCH]);
      if (rows.length === 0) return { found, changed };
      lastId = Number(rows[rows.length - 1][0]);
      const old = rows.filter(([, , settings]) => !this.cipher.isNewest(settings as string));
      found += old.length;
      if (old.length > 0) changed += await this.executor.runWithRetries((statements) => this.rotateAll(old, statements));
    }
  }

  private async rotateAll(rows: RowValues[], statements: Statements): Promise<number> {
    let changed = 0;
    for (const row of rows) changed += await this.rotate(row, statements);
    return changed;
  }

  private async rotate([id, accountId, settings]: RowValues, statements: Statements): Promise<number> {
    const renewed = this.cipher.renew(settings as string, Number(accountId));
    const { affected } = await statements.write(UPDATE, [renewed, id, settings]);
    if (affected > 0) {
      await audit(statements, operatorContext(Number(accountId)), {
        action: 'rotate',
        record: 'notification handler',
        recordId: Number(id),
      });
    }
    return affected;
  }
}
