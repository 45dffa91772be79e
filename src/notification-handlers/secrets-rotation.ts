import { Injectable } from '@nestjs/common';
import { audit } from '../database/audit';
import { operatorChange } from '../database/change';
import { type Cells, Dialect, type Statements } from '../database/dialect';
import { Transactions } from '../database/transactions';
import { SecretsKeys } from './secrets-keys';
import { SettingsCipher } from './settings-cipher';

const BATCH = 200;
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
    private readonly transactions: Transactions,
  ) {}

  /** Returns how many handlers' settings were encrypted anew. @throws Error when one can't be read; those before it are done */
  async run(): Promise<number> {
    this.keys.renew();
    let rotated = 0;
    for (let ofPass = -1; ofPass !== 0; rotated += ofPass) ofPass = await this.pass();
    return rotated;
  }

  private async pass(): Promise<number> {
    let [rotated, lastId] = [0, 0];
    for (;;) {
      const rows = await this.dialect.read(SELECT, [lastId, BATCH]);
      if (rows.length === 0) return rotated;
      lastId = Number(rows[rows.length - 1][0]);
      const old = rows.filter(([, , settings]) => !this.cipher.isNewest(settings as string));
      await this.transactions.runStatements(async (statements) => {
        for (const row of old) rotated += await this.rotate(row, statements);
      });
    }
  }

  private async rotate([id, accountId, settings]: Cells, statements: Statements): Promise<number> {
    const plain = this.cipher.decrypt(settings as string, Number(accountId));
    const { affected } = await statements.write(UPDATE, [this.cipher.encrypt(plain, Number(accountId)), id, settings]);
    if (affected > 0) {
      await audit(statements, operatorChange(Number(accountId)), {
        action: 'rotate',
        record: 'notification handler',
        recordId: Number(id),
      });
    }
    return affected;
  }
}
