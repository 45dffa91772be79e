import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { SecretsCipher } from '../../platform/secrets/secrets-cipher';
import { VerificationKey } from './domain-verification.entity';

const KEY_BYTES = 32;
const TOKEN_LENGTH = 32;
/** The encryption context of a key that no account owns. */
const NO_ACCOUNT = 0;

/** Tokens derive from account, host and key: none is stored, and an account that regains a host gets the same token. */
@Injectable()
export class VerificationTokens {
  private key?: Promise<Buffer>;

  constructor(
    @InjectRepository(VerificationKey) private readonly keys: Repository<VerificationKey>,
    private readonly cipher: SecretsCipher,
  ) {}

  /** 32 characters of lower-case base32. */
  async tokenOf(accountId: number, host: string): Promise<string> {
    const digest = createHmac('sha256', await this.loadKey())
      .update(`${accountId}\0${host}`)
      .digest();
    return base32(digest).slice(0, TOKEN_LENGTH);
  }

  /** Read once per process: a rotation of the encryption key changes only how this key is stored. */
  private loadKey(): Promise<Buffer> {
    this.key ??= this.readKey().catch((error: unknown) => {
      this.key = undefined;
      throw error;
    });
    return this.key;
  }

  /** Creates the key on first use. If several processes do, the first key is kept. */
  private async readKey(): Promise<Buffer> {
    const found = await this.keys.findOneBy({ id: 1 });
    if (found) return Buffer.from(this.cipher.decrypt(found.secret, NO_ACCOUNT), 'base64');
    const secret = this.cipher.encrypt(randomBytes(KEY_BYTES).toString('base64'), NO_ACCOUNT);
    await this.keys.createQueryBuilder().insert().values({ id: 1, secret }).orIgnore().execute();
    return this.readKey();
  }
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, in lower case, without padding. Drops remaining bits that are fewer than five. */
export function base32(bytes: Uint8Array): string {
  let [text, buffer, bits] = ['', 0, 0];
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(buffer >> (bits - 5)) & 31];
  }
  return text;
}
