import type { Request } from 'express';
import { RequestError } from '../errors/request-error';

/** More than any form needs: a boundary has at most 70 characters (RFC 2046, 5.1.1). */
const MAX_LENGTH = 256;

/**
 * Refuses a body with an endless Content-Type before anything parses it: Node's MIMEType and type-is, which multer asks, take
 * quadratic time over spaces (measured: 10 KB of them held the event loop for 140 to 250 ms).
 */
export function refuseLongContentType({ headers }: Request): void {
  const hasBody = 'transfer-encoding' in headers || 'content-length' in headers;
  if (!hasBody || (headers['content-type'] ?? '').length <= MAX_LENGTH) return;
  const source = { in: 'header', name: 'Content-Type' } as const;
  throw RequestError.of('unsupported_media_type', `A Content-Type may have at most ${MAX_LENGTH} characters.`, source);
}
