import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import type { WriteContext } from '../../common/write-context';
import type { Violation } from '../errors/request-error';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export function checkIdempotencyKey({ headers, method }: Request): Violation[] {
  const key = headers['idempotency-key'];
  if (method !== 'POST' || key === undefined || IDEMPOTENCY_KEY.test(String(key))) return [];
  const detail = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
  return [{ code: 'invalid_parameter', detail, source: { in: 'header', name: 'Idempotency-Key' } }];
}

/**
 * The Idempotency-Key and a fingerprint of operation, path, query and fields. The fingerprint is an HMAC under the
 * Idempotency-Key: without the key, a reader of the database can't test guesses.
 */
export function readIdempotency({ headers, method, params, body, originalUrl }: Request, operation: string): WriteContext['idempotency'] {
  const key = headers['idempotency-key'];
  if (method !== 'POST' || typeof key !== 'string') return undefined;
  const fields = Object.entries((body ?? {}) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  const query = originalUrl.split('?')[1];
  const request = JSON.stringify([operation, Object.values(params).map(normalizeId), fields, ...(query ? [query] : [])]);
  return { key, fingerprint: createHmac('sha256', key).update(request).digest('hex') };
}

/** `007` and `7` are the same id. */
function normalizeId(value: string | string[]): number | string | string[] {
  return /^\d+$/.test(String(value)) ? Number(value) : value;
}
