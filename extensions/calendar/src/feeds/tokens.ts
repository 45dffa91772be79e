import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The hash that is stored: a token's 256 random bits need no slow one. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
