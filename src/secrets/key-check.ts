import { Injectable } from '@nestjs/common';
import { ConfigError } from '../config/config';
import { Dialect } from '../database/dialect';
import { ENCRYPTED_COLUMNS } from './encrypted-columns';
import { SecretsCipher } from './secrets-cipher';

/** Notices a lost key at startup, before anything is encrypted with another. */
@Injectable()
export class KeyCheck {
  constructor(
    private readonly dialect: Dialect,
    private readonly cipher: SecretsCipher,
  ) {}

  /** @throws ConfigError when the key of the newest value of a column is missing */
  async run(): Promise<void> {
    for (const { table, name, contents } of ENCRYPTED_COLUMNS) {
      const [newest] = await this.dialect.read(`SELECT ${name} FROM ${table} ORDER BY id DESC LIMIT 1`, []);
      if (!newest || this.cipher.holdsKeyOf(String(newest[0]))) continue;
      throw new ConfigError(`${contents} are encrypted with a key that is in neither SECRETS_KEY nor the key file: restore that key.`);
    }
  }
}
