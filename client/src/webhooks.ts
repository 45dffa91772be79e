import { FrontdeskError } from './errors.js';

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds that the sender's clock may differ; 300 by default. */
  tolerance?: number;
  /** Milliseconds since 1970; the current time by default. */
  now?: number;
}

/**
 * Verifies a webhook as Standard Webhooks describes, and returns its parsed body. `body` is the raw body, as received.
 * @throws FrontdeskError `invalid_signature`
 */
export async function verifyWebhook(
  secret: string,
  headers: Headers | HeaderRecord,
  body: string | Uint8Array,
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<unknown> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`));
  if (!id || !timestamp || !signatures) throw invalidSignature('A header is missing: webhook-id, webhook-timestamp or webhook-signature.');
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance)
    throw invalidSignature('webhook-timestamp is too old or too far in the future.');
  const content = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const key = await importKey(secret);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined;
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content))) return JSON.parse(toText(body));
  }
  throw invalidSignature('No signature in webhook-signature is valid.');
}

function headerOf(headers: Headers | HeaderRecord, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return typeof value === 'object' ? value.join(' ') : value;
}

function importKey(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('The secret must be whsec_ followed by base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function concatenate(prefix: Uint8Array, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const all = new Uint8Array(prefix.length + bytes.length);
  all.set(prefix);
  all.set(bytes, prefix.length);
  return all;
}

function toText(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function invalidSignature(message: string): FrontdeskError {
  return new FrontdeskError(message, { code: 'invalid_signature' });
}
