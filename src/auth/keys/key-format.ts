import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

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
