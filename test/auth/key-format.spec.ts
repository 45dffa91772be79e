import { createHash } from 'node:crypto';
import { generateKey, hashKey, isWellFormedKey } from '../../src/auth/accounts/api-keys.service';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 (ISO 3309), independent of the library that the source uses. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  while (digits.length < 6) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

test('crc32 yields the standard check value', () => {
  expect(crc32('123456789')).toBe(0xcbf43926);
});

test('a known key is well-formed', () => {
  const body = 'fd_0123456789ABCDEFGHIJKLMNOPQRSTUV';
  expect(isWellFormedKey(body + checksum(body))).toBe(true);
});

test('a key is fd_, 32 characters and their checksum', () => {
  for (let count = 0; count < 1000; count++) {
    const key = generateKey();
    expect(key).toMatch(/^fd_[0-9A-Za-z]{38}$/);
    expect(key.slice(-6)).toBe(checksum(key.slice(0, -6)));
    expect(isWellFormedKey(key)).toBe(true);
  }
});

test('generated keys are unique and use all 62 characters', () => {
  const keys = Array.from({ length: 1000 }, generateKey);
  expect(new Set(keys).size).toBe(1000);
  expect(new Set(keys.map((key) => key.slice(3, 35)).join('')).size).toBe(62);
});

test('one wrong character invalidates the checksum', () => {
  const key = generateKey();
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'x' ? 'y' : 'x';
    expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  }
});

test.each(['', 'fd_', 'x', ` ${generateKey()}`, `${generateKey()}\n`, generateKey().slice(1), `${generateKey()}0`])(
  '%j is not a well-formed key',
  (key) => {
    expect(isWellFormedKey(key)).toBe(false);
  },
);

test('the hash of a key is its SHA-256 in hexadecimal', () => {
  expect(hashKey('fd_x')).toBe(createHash('sha256').update('fd_x').digest('hex'));
});
