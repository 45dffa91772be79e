import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretsKeys } from './secrets-keys';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12; // NIST SP 800-38D, 5.2.1.1
const NONCE_CHARACTERS = (NONCE_BYTES * 4) / 3; // in base64
const TAG_BYTES = 16;

/**
 * Encrypts settings and secrets as `<key id>.<base64 of nonce, tag and ciphertext>`. The account id is authenticated, so
 * that a value copied into another account's row can't be decrypted. What belongs to no account has the id 0.
 */
@Injectable()
export class SecretsCipher {
  constructor(private readonly keys: SecretsKeys) {}

  encrypt(text: string, accountId: number, nonce = randomBytes(NONCE_BYTES)): string {
    const { id, key } = this.keys.newest;
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(accountData(accountId));
    const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${id}.${Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64')}`;
  }

  /** Re-encrypts with the newest key. Keeps the nonce, which entity tags contain; being random, it is unique under the new key, too. */
  reencrypt(value: string, accountId: number): string {
    return this.encrypt(this.decrypt(value, accountId), accountId, Buffer.from(nonceOf(value), 'base64'));
  }

  isNewest(value: string): boolean {
    return keyIdOf(value) === this.keys.newest.id;
  }

  holdsKeyOf(value: string): boolean {
    return this.keys.find(keyIdOf(value)) !== undefined;
  }

  /** @throws Error when the key is unknown or the value was tampered with */
  decrypt(value: string, accountId: number): string {
    const [id, data] = value.split('.');
    const found = this.keys.find(id);
    if (!found) throw new Error(`The key ${id}, which encrypts a stored secret, is missing: restore it to SECRETS_KEY or the key file.`);
    const bytes = Buffer.from(data, 'base64');
    const decipher = createDecipheriv(ALGORITHM, found.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(accountData(accountId))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}

/** Changes with every write of the settings, but not with a key rotation. */
export function nonceOf(value: string): string {
  return value.split('.')[1].slice(0, NONCE_CHARACTERS);
}

function keyIdOf(value: string): string {
  return value.split('.')[0];
}

function accountData(accountId: number): Buffer {
  return Buffer.from(`account:${accountId}`);
}
