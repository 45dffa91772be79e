import type { Writable } from 'node:stream';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { DECORATORS } from '@nestjs/swagger';
import type { Request } from 'express';
import { bodyTooLarge, boundaryOf, checkBodyHeaders, decodeFields, FORM_LIMITS, MULTIPART_LIMITS } from './request-body';

/** Metadata key of a route's maximum upload size; a route without it refuses files. */
export const UPLOAD_BYTES_KEY = 'frontdesk:upload-bytes';

/**
 * Lets a route's own `FileInterceptor` read multipart bodies of up to `maxBytes`, files included. Put it above the decorator that
 * documents the route, whose content types this replaces; `@ApiConsumes` would only add one.
 */
export function AcceptsFiles(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(UPLOAD_BYTES_KEY, maxBytes), SetMetadata(DECORATORS.API_CONSUMES, ['multipart/form-data']));
}

const maxBytesOf = new WeakMap<Request, number>();

/** Limits the body that the route's `FileInterceptor` is about to read. @throws RequestError 400, 413, 415 */
export function limitUpload(request: Request, maxBytes: number): void {
  checkBodyHeaders(request, maxBytes);
  boundaryOf(request);
  maxBytesOf.set(request, maxBytes);
}

/** A chunked body declares no length, so its bytes are counted as they arrive. */
function pipeUpload(request: Request, busboy: Writable): void {
  const maxBytes = maxBytesOf.get(request) ?? FORM_LIMITS.bodyBytes;
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    request.off('data', count).unpipe(busboy);
    request.readable = false; // otherwise multer would not fail until the end of the body
    busboy.destroy(bodyTooLarge(maxBytes)); // multer still handles this error after it has finished
  };
  request.on('data', count).pipe(decodeFields(busboy));
}

/** Defaults for every `FileInterceptor`; `@AcceptsFiles` limits the size. */
export const UPLOAD_OPTIONS = {
  limits: { ...MULTIPART_LIMITS, fieldSize: FORM_LIMITS.bodyBytes, fields: 100, files: 10, parts: 110 },
  streamHandler: pipeUpload,
  defParamCharset: 'utf8', // for file names, as browsers send them (RFC 7578, 5.1)
};
