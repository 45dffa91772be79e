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
import type { Request } from 'express';
import type { Handler } from '../server/nest-metadata';
import { checkDecorators, checkFields, isValidated, namesOf, refuseIfAny, trimValues } from './fields';
import { bodyTooLarge, FORM_LIMITS, MULTIPART_LIMITS } from './request-body';
import { decodeFields } from './transfer-encoding';

const UPLOAD_BYTES = 'frontdesk:upload-bytes';
/** Metadata key of @nestjs/swagger. Replaces the types that `CreateRoute` documents, to which `ApiConsumes` would add. */
const CONSUMES = 'swagger/apiConsumes';

/**
 * Lets a route's own `FileInterceptor` read multipart bodies of up to `maxBytes`, files included. Its `@Body()` is checked afterwards.
 * Put it above `@CreateRoute`.
 */
export function AcceptsFiles(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(UPLOAD_BYTES, maxBytes), UsePipes(UploadedBodyPipe), SetMetadata(CONSUMES, ['multipart/form-data']));
}

/** Defaults for every `FileInterceptor`; `@AcceptsFiles` limits the size. */
export function limitMulter(): DynamicModule {
  const limits = { ...MULTIPART_LIMITS, fieldSize: FORM_LIMITS.bodyBytes, fields: 100, files: 10, parts: 110 };
  const streamHandler = (request: Request, busboy: NodeJS.WritableStream) => request.pipe(decodeFields(busboy));
  const options = { limits, streamHandler, defParamCharset: 'utf8' }; // names of files, as browsers send them (RFC 7578, 5.1)
  return { ...MulterModule.register(options), global: true };
}

/** Undefined if the route refuses files. */
export function uploadLimitOf(handler: Handler): number | undefined {
  return Reflect.getMetadata(UPLOAD_BYTES, handler) as number | undefined;
}

/** Checks Content-Length, and counts bytes as they arrive, since a chunked body declares no length. @throws RequestError 413 */
export function limitUpload(request: Request, maxBytes: number): void {
  if (Number(request.headers['content-length']) > maxBytes) throw bodyTooLarge(maxBytes);
  let bytes = request.readableLength;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= maxBytes) return push(chunk);
    request.emit('error', bodyTooLarge(maxBytes)); // fails multer, which passes the error on
    return false;
  };
}

/** Checks a body that an interceptor has read; the validation guard checks all other bodies. */
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
