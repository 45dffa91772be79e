import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ArgumentMetadata, DynamicModule, PipeTransform, Type } from '@nestjs/common';
import { applyDecorators, SetMetadata, UsePipes } from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';
import { ApiConsumes } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Handler } from '../server/nest-metadata';
import { checkDecorators, checkFields, isValidated, namesOf, refuseIfAny } from './fields';
import { MULTIPART_LIMITS, trimValues } from './parsers';
import { bodyTooLarge, FORM_LIMITS, isUpload } from './request-body';

const MAX_BYTES = 'frontdesk:upload-bytes';

/** Lets a route's own `FileInterceptor` read multipart bodies of up to `maxBytes`, files included. Its `@Body()` is checked afterwards. */
export function AcceptsFiles(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(MAX_BYTES, maxBytes), UsePipes(UploadedBodyPipe), ApiConsumes('multipart/form-data'));
}

/** Defaults for every `FileInterceptor`; `@AcceptsFiles` limits the size. */
export function limitMulter(): DynamicModule {
  const limits = { ...MULTIPART_LIMITS, fieldSize: FORM_LIMITS.bodyBytes, fields: 100, files: 10, parts: 110 };
  return { ...MulterModule.register({ limits }), global: true };
}

/** Whether an interceptor of the route reads this body; if so, limits its size. */
export function prepareUpload(handler: Handler, request: Request): boolean {
  const maxBytes: number | undefined = Reflect.getMetadata(MAX_BYTES, handler);
  if (maxBytes === undefined || !isUpload(request)) return false;
  if (Number(request.headers['content-length']) > maxBytes) throw bodyTooLarge(maxBytes);
  limitBody(request, maxBytes);
  return true;
}

/** Field, name, type and SHA-256 of each file that an interceptor has read, ordered by field. */
export async function digestFiles({ file, files = [] }: Request): Promise<string[][]> {
  const all = [file ?? [], Object.values(files)].flat(2);
  const digests = all.map(async (one) => [one.fieldname, one.originalname, one.mimetype, await digest(one)]);
  return (await Promise.all(digests)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** multer keeps a file in memory or on disk; other storage engines don't say where. */
async function digest({ buffer, path }: Partial<Express.Multer.File>): Promise<string> {
  const content = buffer ? [buffer] : path && createReadStream(path);
  if (!content) throw new Error('Only files in memory or on disk can be compared with those of a repeat: add @RefusesIdempotencyKey().');
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk as Buffer);
  return hash.digest('hex');
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
