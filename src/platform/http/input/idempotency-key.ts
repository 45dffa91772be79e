import { createHash, createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { WriteContext } from '../../common/write-context';
import type { Violation } from '../../common/errors';
import { trimInvisible } from '../../common/invisible-characters';
import { asText } from './rules';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

const ACCEPTS_KEY = 'frontdesk:accepts-idempotency-key';
/** OpenAPI extension: keeps the Idempotency-Key header that a route decorator documents; without it, the header is removed. */
export const KEY_MARK = 'x-handles-idempotency-key';
/** Overrides `KEY_MARK`, which it can't unset: @nestjs/swagger keeps the first value of an extension. */
export const NO_KEY_MARK = 'x-refuses-idempotency-key';

/** For a POST whose response can't be stored: refuses an Idempotency-Key, because a repeated request would be executed again. */
export function RefusesIdempotencyKey(): MethodDecorator {
  return applyDecorators(setAcceptsKey(false), ApiExtension(NO_KEY_MARK, true));
}

/** For a POST without `@WriteContextOf` that is harmless to repeat: an Idempotency-Key is accepted, and has no effect. */
export function NeedsNoIdempotencyKey(): MethodDecorator {
  return setAcceptsKey(true);
}

/** Makes a `@WriteContextOf` route accept keys. Method decorators run later, so `@RefusesIdempotencyKey` overrides this. */
export function acceptIdempotencyKeys(prototype: object, method: string | symbol): void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method)!;
  applyDecorators(setAcceptsKey(true), ApiExtension(KEY_MARK, true))(prototype, method, descriptor);
}

/** Stored by method name, not on the function, which a decorator may replace. */
function setAcceptsKey(isAccepted: boolean): MethodDecorator {
  return (prototype, method) => Reflect.defineMetadata(ACCEPTS_KEY, isAccepted, prototype, method);
}

/** A route that doesn't handle keys refuses them, because a client that sends one relies on its request being executed only once. */
export function checkIdempotencyKey({ headers, method: verb }: Request, controller: Type, method: string): Violation[] {
  const key = headers['idempotency-key'];
  if (verb !== 'POST' || key === undefined) return [];
  let declaringPrototype = controller.prototype as object;
  while (!Object.hasOwn(declaringPrototype, method)) declaringPrototype = Object.getPrototypeOf(declaringPrototype) as object;
  if (Reflect.getOwnMetadata(ACCEPTS_KEY, declaringPrototype, method) !== true)
    return [invalidKey('Idempotency-Key is not accepted here: this route does not keep its responses.')];
  return IDEMPOTENCY_KEY.test(String(key)) ? [] : [invalidKey('Idempotency-Key must be 1 to 255 visible ASCII characters.')];
}

/**
 * The Idempotency-Key and a fingerprint of operation, path, query, fields and files; undefined without a key. The fingerprint is an HMAC
 * under the Idempotency-Key, so that nobody who reads the database can test guesses without the key.
 */
export async function readIdempotency(request: Request, operation: string): Promise<WriteContext['idempotency']> {
  const { headers, method, params, body, originalUrl } = request;
  const key = headers['idempotency-key'];
  if (method !== 'POST' || typeof key !== 'string') return undefined;
  const fields = Object.entries((body ?? {}) as object).map(([name, value]: [string, unknown]) => [name, normalize(value)] as const);
  const query = originalUrl.split('?')[1];
  const files = await digestFiles(request);
  const rest = [...(query ? [query] : []), ...(files.length > 0 ? [files] : [])]; // omitted if empty, as in older fingerprints
  const identity = JSON.stringify([
    operation,
    Object.values(params).map(normalizeId),
    fields.sort(([a], [b]) => (a < b ? -1 : 1)),
    ...rest,
  ]);
  return { operation, key, fingerprint: createHmac('sha256', key).update(identity).digest('hex') };
}

/** Field, name, type and SHA-256 of each file that an interceptor has read, ordered by field. */
async function digestFiles({ file, files = [] }: Request): Promise<string[][]> {
  const allFiles = [file ?? [], Object.values(files)].flat(2);
  const digests = allFiles.map(async (each) => [each.fieldname, each.originalname, each.mimetype, await digest(each)]);
  return (await Promise.all(digests)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Reads files that multer keeps in memory or on disk; other storage engines don't say where theirs are. */
async function digest({ buffer, path }: Partial<Express.Multer.File>): Promise<string> {
  const content = buffer ? [buffer] : path && createReadStream(path);
  if (!content) throw new Error('Only files in memory or on disk can be fingerprinted: add @RefusesIdempotencyKey().');
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function invalidKey(detail: string): Violation {
  return { code: 'invalid_parameter', detail, source: { in: 'header', name: 'Idempotency-Key' } };
}

/** Gives a value the same form for every content type. */
function normalize(value: unknown): unknown {
  const text = asText(value);
  return text === undefined ? value : trimInvisible(text);
}

/** `007` and `7` are the same id. */
function normalizeId(value: string | string[]): number | string | string[] {
  return /^\d+$/.test(String(value)) ? Number(value) : value;
}
