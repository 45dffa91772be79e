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
import type { Request } from 'express';
import { checkDecorators, checkFields } from './check-input';
import { hasFieldsOnly, isValidated } from './declared-names';
import { FORM_LIMITS, formType, trimValues } from './parsers';
import { MULTIPART_LIMITS } from './multipart';
import type { Handler } from '../server/nest-metadata';
import { bodyTooLarge } from './request-body';
import { RequestError } from '../errors/request-error';

const MAX_BYTES = 'frontdesk:upload-bytes';

/** Lets a route's own `FileInterceptor` read multipart bodies of up to `maxBytes`, files included. Its `@Body()` is checked after that. */
export function AcceptsFiles(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(MAX_BYTES, maxBytes), UsePipes(UploadedBodyPipe), ApiConsumes('multipart/form-data'));
}

/** The defaults of every `FileInterceptor`; `@AcceptsFiles` bounds the size. */
export function limitMulter(): DynamicModule {
  const limits = { ...MULTIPART_LIMITS, fieldSize: FORM_LIMITS.bodyBytes, fields: 100, files: 10, parts: 110 };
  return { ...MulterModule.register({ limits }), global: true };
}

/** Whether a request is of the kind that may hold files. */
export function isUpload({ method, headers }: Request): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method) && formType(headers['content-type']) === 'multipart/form-data';
}

/** Whether an interceptor of the route reads this body; if so, caps what it may read. */
export function prepareUpload(handler: Handler, request: Request): boolean {
  const maxBytes: number | undefined = Reflect.getMetadata(MAX_BYTES, handler);
  if (maxBytes === undefined || !isUpload(request)) return false;
  if (Number(request.headers['content-length']) > maxBytes) throw bodyTooLarge(maxBytes);
  limitBody(request, maxBytes);
  return true;
}

/** Counts what comes in, for a body sent in chunks does not give its length. */
function limitBody(request: Request, maxBytes: number): void {
  let bytes = request.readableLength;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= maxBytes) return push(chunk);
    request.emit('error', bodyTooLarge(maxBytes)); // multer gives up, and its error is the answer
    return false;
  };
}

/** Checks a body that an interceptor has read, as the validation guard checks all others. */
class UploadedBodyPipe implements PipeTransform {
  async transform(body: unknown, { type, data, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type !== 'body' || data !== undefined || !metatype || !isValidated(metatype) || body instanceof metatype) return body;
    const dto = metatype as Type<object>;
    const raw = { ...(body as object) };
    const { value, violations } = hasFieldsOnly(dto) ? checkFields(dto, trimValues(raw), 'form') : await checkDecorators(dto, raw, 'form');
    if (violations.length > 0) throw new RequestError(violations);
    return value;
  }
}
