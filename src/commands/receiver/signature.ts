import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;

/** The key in a `whsec_…` secret; undefined if it is none. */
export function parseSecret(secret: string): Buffer | undefined {
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const isSecret = secret.startsWith(PREFIX) && key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded;
  return isSecret ? key : undefined;
}

/**
 * What is wrong with a request's signature; undefined if it is valid. `now` is in milliseconds since 1970.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureProblem(headers: IncomingHttpHeaders, body: Buffer, key: Buffer, now: number): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures) return 'not signed';
  if (!/^\d+$/.test(String(timestamp)) || Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return 'more than 5 minutes off';
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.`)
    .update(body)
    .digest();
  const isValid = String(signatures)
    .split(' ')
    .some((each) => each.startsWith('v1,') && isEqual(Buffer.from(each.slice(3), 'base64'), expected));
  return isValid ? undefined : 'wrong signature';
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
