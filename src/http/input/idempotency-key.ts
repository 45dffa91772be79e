import { createHmac } from 'node:crypto';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { WriteContext } from '../../common/write-context';
import type { Violation } from '../errors/request-error';
import type { Handler } from '../server/nest-metadata';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

const REFUSED = 'frontdesk:refuses-idempotency-key';
/** Removes the header from the operation's parameters. */
export const NO_KEY_MARK = 'x-refuses-idempotency-key';

/** For a POST whose response can't be kept: repeats run again. */
export function RefusesIdempotencyKey(): MethodDecorator {
  return applyDecorators(SetMetadata(REFUSED, true), ApiExtension(NO_KEY_MARK, true));
}

export function refusesIdempotencyKey(handler: Handler): boolean {
  return Reflect.getMetadata(REFUSED, handler) === true;
}

export function checkIdempotencyKey({ headers, method }: Request, isRefused: boolean): Violation[] {
  const key = headers['idempotency-key'];
  if (method !== 'POST' || key === undefined) return [];
  if (isRefused) return [invalidKey('Idempotency-Key is not accepted here: this route does not keep its responses.')];
  return IDEMPOTENCY_KEY.test(String(key)) ? [] : [invalidKey('Idempotency-Key must be 1 to 255 visible ASCII characters.')];
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

function invalidKey(detail: string): Violation {
  return { code: 'invalid_parameter', detail, source: { in: 'header', name: 'Idempotency-Key' } };
}

/** `007` and `7` are the same id. */
function normalizeId(value: string | string[]): number | string | string[] {
  return /^\d+$/.test(String(value)) ? Number(value) : value;
}
