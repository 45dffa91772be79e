import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config';
import { readOrCreateKeyFile } from './key-file';
import type { Settings } from './channels';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12; // NIST SP 800-38D, 5.2.1.1
const TAG_BYTES = 16;

/**
 * Encrypts settings for the database: `<key id>.<base64 of nonce, tag and text>`. The account is authenticated with the
 * text, so that a value copied into another account's row can't be read there.
 */
@Injectable()
export class SettingsCipher {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly newest: string;

  constructor({ secretsKeys, database }: Config) {
    const embedded = secretsKeys.length === 0 && database.type === 'sqlite';
    const keys = embedded ? [readOrCreateKeyFile(`${database.file}.key`)] : secretsKeys;
    this.keys = new Map(keys.map((key) => [keyId(key), key]));
    this.newest = keyId(keys[0]);
  }

  encrypt(settings: Settings, accountId: number): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys.get(this.newest)!, nonce).setAAD(accountData(accountId));
    const text = Buffer.concat([cipher.update(JSON.stringify(settings), 'utf8'), cipher.final()]);
    return `${this.newest}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')}`;
  }

  /** Whether a value was encrypted under one of the keys at hand. */
  holdsKeyOf(value: string): boolean {
    return this.keys.has(value.split('.')[0]);
  }

  /** @throws Error when the value was encrypted under a key that SECRETS_KEY doesn't hold, or was changed */
  decrypt(value: string, accountId: number): Settings {
    const [id, data] = value.split('.');
    const key = this.keys.get(id);
    if (!key) throw new Error(`SECRETS_KEY does not hold the key ${id}, under which a handler's settings are encrypted.`);
    const bytes = Buffer.from(data, 'base64');
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(accountData(accountId))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as Settings;
  }
}

function keyId(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function accountData(accountId: number): Buffer {
  return Buffer.from(`account:${accountId}`);
}
