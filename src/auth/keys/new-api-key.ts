import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { timestamp } from '../../common/time';
import type { ScopeName } from '../route-policies';
import type { ApiKey } from './api-key.entity';

export interface NewApiKey {
  accountId: number;
  name: string;
  /** Default: all, including those added by later versions. */
  scopes?: readonly ScopeName[];
  expires?: Date;
}

/** `allScopes`: the scopes that exist now. */
export function newApiKey(
  { accountId, name, scopes, expires }: NewApiKey,
  allScopes: readonly ScopeName[],
  datetime: string,
): { key: string; row: Partial<ApiKey> } {
  const key = generateKey();
  const row = {
    account_id: accountId,
    name,
    key_hash: hashKey(key),
    scopes: (scopes ?? allScopes).join(','),
    has_all_scopes: !scopes,
    expires_datetime: expires ? timestamp(expires) : null,
    datetime,
  };
  return { key, row };
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'fd_';
const SECRET_LENGTH = 32; // 190 bits
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** `fd_`, 32 random characters, and a 6-character checksum that catches typos without a query. */
export function generateKey(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
  return withChecksum(PREFIX + secret);
}

export function isWellFormedKey(key: string): boolean {
  return KEY.test(key) && withChecksum(key.slice(0, -CHECKSUM_LENGTH)) === key;
}

/** SHA-256 in hexadecimal: with 190 random bits, a key needs no slow hash. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function withChecksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % BASE62.length] + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return body + digits;
}
