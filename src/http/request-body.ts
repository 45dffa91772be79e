import type { Request } from 'express';
import { RequestError } from './request-error';

/**
 * A request's body, whole. One that is too long is refused as soon as that is known; the rest of it is never read, so the
 * connection can't serve another request.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function readBody(request: Request, mostBytes: number): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
  if (encoding.toLowerCase() !== 'identity') {
    throw RequestError.of('unsupported_media_type', 'A body must not be compressed.', { in: 'header', name: 'Content-Encoding' });
  }
  if (Number(length) > mostBytes) throw bodyTooLarge(mostBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(request)) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw bodyTooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* chunksOf(request: Request): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }); // the answer still goes out on this connection
  } catch {
    throw RequestError.of('malformed_request', 'The body ended before its time.');
  }
}

function bodyTooLarge(mostBytes: number): RequestError {
  return new RequestError([{ code: 'payload_too_large', detail: `A body may have at most ${mostBytes} bytes.` }], { Connection: 'close' });
}
