import { MIMEType, promisify } from 'node:util';
import type { Request, Response } from 'express';
import multer from 'multer';
import { type ErrorCode, RequestError } from '../errors/request-error';
import type { RawInput } from './check-input';
import { FORM_LIMITS } from './request-body';

/** `fieldCount` is undefined when multer doesn't recognize the content type and leaves the body unread. */
type BufferedRequest = Request & { rawBody: Buffer; fieldCount?: number };

/** With multer's defaults, a field named a[30000000] blocks the process for most of a second. */
export const MULTIPART_LIMITS = { headerPairs: 16, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 };

export const FIELD_LIMIT = `A body may have at most ${FORM_LIMITS.fields} fields.`;

const MULTER_ERRORS: Record<string, [ErrorCode, string]> = {
  LIMIT_FIELD_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_PART_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_FILE_COUNT: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_UNEXPECTED_FILE: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_FIELD_NESTING: ['unknown_parameter', 'The name of a field may not have brackets.'],
  LIMIT_FIELD_ARRAY_INDEX: ['unknown_parameter', 'The name of a field may not have brackets.'],
};

/** Returns a parser for a body already read. It throws RequestError 400 malformed_request or unknown_parameter, or 413. */
export function multipartParser(fields: number, fieldSize: number) {
  const fieldNameSize = FORM_LIMITS.bodyBytes; // no separate limit: a long name is reported as unknown, as with other content types
  const options = {
    limits: { ...MULTIPART_LIMITS, fields, parts: fields, files: 0, fieldSize, fieldNameSize },
    streamHandler(request: BufferedRequest, busboy: NodeJS.WritableStream) {
      let fieldCount = (request.fieldCount = 0);
      busboy.on('field', () => (request.fieldCount = ++fieldCount));
      busboy.end(request.rawBody);
    },
  };
  const read = promisify<Request, Response>(multer(options).none());
  return async (request: Request, response: Response, rawBody: Buffer): Promise<RawInput> => {
    const buffered: BufferedRequest = Object.assign(request, { rawBody });
    await read(request, response).catch((error: { code?: string; field?: string }) => {
      throw error.code === 'LIMIT_FIELD_VALUE' ? RequestError.of('payload_too_large', valueLimit(fieldSize)) : translate(error);
    });
    if (countParts(buffered) !== buffered.fieldCount) throw translate({});
    return request.body as RawInput;
  };
}

export function valueLimit(bytes: number): string {
  return `A value may have at most ${bytes} bytes.`;
}

/** busboy silently skips parts, even files, whose headers it can't parse. */
function countParts({ headers, rawBody }: BufferedRequest): number {
  const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
  const parts = `\r\n${rawBody.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1);
  return parts.filter((part) => /^[ \t]*\r\n/.test(part)).length; // RFC 2046, 5.1.1, allows the white space
}

function translate({ code, field }: { code?: string; field?: string }): RequestError {
  const [errorCode, detail] = MULTER_ERRORS[code ?? ''] ?? ['malformed_request', 'The body does not follow its content type.'];
  return RequestError.of(errorCode, detail, errorCode === 'unknown_parameter' && field ? { in: 'form', name: field } : undefined);
}
