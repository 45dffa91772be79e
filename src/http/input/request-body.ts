import { parse, type ParsedUrlQuery } from 'node:querystring';
import { MIMEType } from 'node:util';
import type { Request } from 'express';
import {
  applyDecorators,
  type ArgumentMetadata,
  type DynamicModule,
  type PipeTransform,
  SetMetadata,
  type Type,
  UsePipes,
} from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';
import { ApiConsumes } from '@nestjs/swagger';
import { RequestError } from '../errors/request-error';
import type { Handler } from '../server/nest-metadata';
import { checkDecorators, checkFields, isValidated, namesOf, refuseIfAny, trimValues } from './fields';

export const FORM_LIMITS = { fields: 16, valueBytes: 8 * 1024, bodyBytes: 64 * 1024 };

/** With multer's defaults, a field named a[30000000] blocks the process for most of a second. */
export const MULTIPART_LIMITS = { headerPairs: 16, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 };

/** Same as Node's default `maxKeys`. */
export const MAX_PAIRS = 1_000;

/** In characters. A boundary, the longest parameter, has at most 70 (RFC 2046, 5.1.1). */
const MAX_CONTENT_TYPE_LENGTH = 256;

/** No legitimate client sends 64 KiB in more chunks. */
const MAX_CHUNKS = 4_096;

export function parseQuery(text: string | null): ParsedUrlQuery {
  return parsePairs(text ?? '', MAX_PAIRS);
}

/** Removes empty pairs (`&&`), which Node counts towards maxKeys. */
export function parsePairs(text: string, maxKeys: number): ParsedUrlQuery {
  return parse(text.replace(/^&+|&+(?=&|$)/g, ''), '&', '=', { maxKeys });
}

/** Runs before anything parses the header: MIMEType and multer's type-is are quadratic in spaces (10 KB: 140 to 250 ms). */
export function refuseLongContentType({ headers }: Request): void {
  const hasBody = 'transfer-encoding' in headers || 'content-length' in headers;
  if (!hasBody || (headers['content-type'] ?? '').length <= MAX_CONTENT_TYPE_LENGTH) return;
  throw unsupported(`A Content-Type may have at most ${MAX_CONTENT_TYPE_LENGTH} characters.`);
}

/** The media type; undefined when Content-Type is missing, malformed, or names a charset other than UTF-8. */
export function mediaType({ headers }: Request): string | undefined {
  try {
    const { essence, params } = new MIMEType(headers['content-type'] ?? '');
    return /^utf-?8$/i.test(params.get('charset') ?? 'utf-8') ? essence : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a request may contain files. */
export function isUpload(request: Request): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(request.method) && mediaType(request) === 'multipart/form-data';
}

/** Whether a body parser added by an extension has already read the body. */
export function isParsed({ readableEnded, body }: Request): boolean {
  return readableEnded && typeof body === 'object' && body !== null;
}

/**
 * Reads the whole body. One that is too long is refused without reading the rest, so the connection closes.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function readBody(request: Request): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
  if (encoding.toLowerCase() !== 'identity') throw unsupported('A body must not be compressed.', 'Content-Encoding');
  if (Number(length) > FORM_LIMITS.bodyBytes) throw bodyTooLarge(FORM_LIMITS.bodyBytes);
  return collect(request);
}

/** Events rather than an async iterator, which takes twice as long for one-byte chunks: 60 ms for 1 MB. */
function collect(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (error: RequestError) => {
      request.off('data', take).pause(); // not destroyed: the response still goes out on this connection
      reject(error);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > FORM_LIMITS.bodyBytes) stop(bodyTooLarge(FORM_LIMITS.bodyBytes));
      else if (chunks.push(chunk) > MAX_CHUNKS) stop(tooLarge(`A body may come in at most ${MAX_CHUNKS} pieces.`));
    };
    request
      .on('data', take)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('close', () => request.complete || reject(RequestError.malformed('The body ended before its time.')));
  });
}

export function unsupported(detail: string, header = 'Content-Type'): RequestError {
  return RequestError.inHeader('unsupported_media_type', detail, header);
}

function bodyTooLarge(maxBytes: number): RequestError {
  return tooLarge(`A body may have at most ${maxBytes} bytes.`);
}

function tooLarge(detail: string): RequestError {
  return RequestError.of('payload_too_large', detail, undefined, { Connection: 'close' });
}

const UPLOAD_BYTES = 'frontdesk:upload-bytes';

/** Lets a route's own `FileInterceptor` read multipart bodies of up to `maxBytes`, files included. Its `@Body()` is checked afterwards. */
export function AcceptsFiles(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(UPLOAD_BYTES, maxBytes), UsePipes(UploadedBodyPipe), ApiConsumes('multipart/form-data'));
}

/** Defaults for every `FileInterceptor`; `@AcceptsFiles` limits the size. */
export function limitMulter(): DynamicModule {
  const limits = { ...MULTIPART_LIMITS, fieldSize: FORM_LIMITS.bodyBytes, fields: 100, files: 10, parts: 110 };
  return { ...MulterModule.register({ limits }), global: true };
}

/** Whether an interceptor of the route reads this body; if so, limits its size. */
export function prepareUpload(handler: Handler, request: Request): boolean {
  const maxBytes: number | undefined = Reflect.getMetadata(UPLOAD_BYTES, handler);
  if (maxBytes === undefined || !isUpload(request)) return false;
  if (Number(request.headers['content-length']) > maxBytes) throw bodyTooLarge(maxBytes);
  limitBody(request, maxBytes);
  return true;
}

/** Counts bytes as they arrive: a chunked body declares no length. */
function limitBody(request: Request, maxBytes: number): void {
  let bytes = request.readableLength;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= maxBytes) return push(chunk);
    request.emit('error', bodyTooLarge(maxBytes)); // fails multer, which passes the error on
    return false;
  };
}

/** Checks a body that an interceptor has read; the validation guard checks the others. */
class UploadedBodyPipe implements PipeTransform {
  async transform(body: unknown, { type, data, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type !== 'body' || data !== undefined || !metatype || !isValidated(metatype) || body instanceof metatype) return body;
    const dto = metatype as Type<object>;
    const raw = { ...(body as object) };
    const { hasFieldsOnly } = namesOf(dto);
    const { value, violations } = hasFieldsOnly ? checkFields(dto, trimValues(raw), 'form') : await checkDecorators(dto, raw, 'form');
    refuseIfAny(violations);
    return value;
  }
}
