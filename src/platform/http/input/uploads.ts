import { applyDecorators, type DynamicModule, SetMetadata } from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';
import type { Request } from 'express';
import { FORM_LIMITS, MULTIPART_LIMITS } from './request-body';
import { decodeFields } from './transfer-encoding';

/** Metadata key; without it, a route refuses files. */
export const UPLOAD_BYTES = 'frontdesk:upload-bytes';
/** Metadata key of @nestjs/swagger. Replaces the types that `ApiCreate` documents, to which `ApiConsumes` would add. */
const CONSUMES = 'swagger/apiConsumes';

/**
 * Lets a route's own `FileInterceptor` read multipart bodies of up to `maxBytes`, files included. Put it above the decorator that
 * documents the route.
 */
export function AcceptsFiles(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(UPLOAD_BYTES, maxBytes), SetMetadata(CONSUMES, ['multipart/form-data']));
}

/** Defaults for every `FileInterceptor`; `@AcceptsFiles` limits the size. */
export function limitMulter(): DynamicModule {
  const limits = { ...MULTIPART_LIMITS, fieldSize: FORM_LIMITS.bodyBytes, fields: 100, files: 10, parts: 110 };
  const streamHandler = (request: Request, busboy: NodeJS.WritableStream) => request.pipe(decodeFields(busboy));
  const options = { limits, streamHandler, defParamCharset: 'utf8' }; // names of files, as browsers send them (RFC 7578, 5.1)
  return { ...MulterModule.register(options), global: true };
}
