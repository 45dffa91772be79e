import { MIMEType } from 'node:util';
import type { Request, Response } from 'express';
import multer from 'multer';

/** A request whose body has been read, and how many fields were found in it. */
type MultipartRequest = Request & { rawBody: Buffer; fieldCount: number };
type Next = (error?: unknown) => void;

/** multer's own defaults let a field named a[30000000] hold the process for the better part of a second. */
export const MULTIPART_LIMITS = { headerPairs: 16, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 };

/** A middleware that makes the fields of `rawBody` the request's body. */
export function readMultipart({ fields, valueBytes, bodyBytes }: { fields: number; valueBytes: number; bodyBytes: number }) {
  const options = {
    limits: {
      ...MULTIPART_LIMITS,
      fields,
      parts: fields,
      files: 0,
      fieldSize: valueBytes,
      fieldNameSize: bodyBytes, // no limit of its own: a long name is unknown, as in the other content types
    },
    streamHandler(request: MultipartRequest, busboy: NodeJS.WritableStream) {
      request.fieldCount = 0;
      busboy.on('field', () => request.fieldCount++);
      busboy.end(request.rawBody);
    },
  };
  const read = multer(options).none();
  return (request: Request, response: Response, next: Next): void => {
    read(request, response, (error?: unknown) => next(error ?? unreadPart(request as MultipartRequest)));
  };
}

/** busboy passes over a part whose header it can't read, a file's too, without a word. */
function unreadPart({ headers, rawBody, fieldCount }: MultipartRequest): Error | undefined {
  const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
  const lines = `\r\n${rawBody.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1);
  const parts = lines.filter((rest) => /^[ \t]*\r\n/.test(rest)).length; // RFC 2046, 5.1.1, lets white space stand there
  return parts === fieldCount ? undefined : new Error('A part has no name that can be read.');
}
