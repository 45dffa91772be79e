import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { StoredKeys } from '../../platform/secrets/stored-keys';

const TOKEN_LENGTH = 32;
/** The key's id in `stored_keys`. */
const KEY_ID = 1;

/** Tokens derive from account, host and key: none is stored, and an account that regains a host gets the same token. */
@Injectable()
export class VerificationTokens {
  private readonly key: () => Promise<Buffer>;

  constructor(keys: StoredKeys) {
    this.key = keys.reserve(KEY_ID);
  }

  /** 32 characters of lower-case base32. */
  async tokenOf(accountId: number, host: string): Promise<string> {
    const digest = createHmac('sha256', await this.key())
      .update(`${accountId}\0${host}`)
      .digest();
    return base32(digest).slice(0, TOKEN_LENGTH);
  }
}

const BASE32_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, in lower case, without padding. Drops a remainder of fewer than five bits. */
export function base32(bytes: Uint8Array): string {
  let [text, buffer, bits] = ['', 0, 0];
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32_ALPHABET[(buffer >> (bits - 5)) & 31];
  }
  return text;
}
