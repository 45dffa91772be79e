import { isUtf8 } from 'node:buffer';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import { MIMEType } from 'node:util';
import express, { type Request, type Response } from 'express';
import multer from 'multer';
import { isNestedTooDeeply } from '../../common/records';
import { type ErrorCode, RequestError } from '../request-error';
import { decodeFields } from './transfer-encoding';

/** Content types of a form; a flat JSON object counts as one. */
export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;

export interface FormLimit {
  fields: number;
  valueBytes: number;
}

export const FORM_LIMITS = { fields: 16, valueBytes: 8 * 1024, bodyBytes: 64 * 1024 };

/** With multer's defaults, a field named a[30000000] blocks the process for most of a second. */
export const MULTIPART_LIMITS = { headerPairs: 16, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 };

/** Same as Node's default `maxKeys`. */
const MAX_PAIRS = 1_000;

/**
 * Express's parser of text, for JSON and urlencoded forms alike. Its `json()` refuses the charset `utf8`; its `urlencoded()` takes a
 * broken percent-encoding as text, and drops `__proto__`. `limitBody` limits the size, without reading the rest.
 */
const parseText = express.text({ type: () => true, limit: Infinity, inflate: false, verify: requireUtf8 });

/**
 * JSON keeps its types, forms yield strings; a repeated name yields an array.
 * @throws RequestError 400, 413, 415
 */
export async function readBody(request: Request, response: Response, limits: FormLimit): Promise<object> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (request.readableEnded && isObject(request.body)) return request.body; // read by a parser of an extension's
  if (encoding.toLowerCase() !== 'identity') throw unsupported('A body must not be compressed.', 'Content-Encoding');
  if (transfer === undefined && !Number(length)) return {};
  limitBody(request, FORM_LIMITS.bodyBytes);
  return checkValues(await parseBody(request, response, limits.fields), limits);
}

function parseBody(request: Request, response: Response, fields: number): Promise<object> {
  const parseAs = async (parseFrom: (text: string) => object) => parseFrom(await readText(request, response));
  switch (mediaType(request)) {
    case 'multipart/form-data':
      return readMultipart(request, response, fields);
    case 'application/x-www-form-urlencoded':
      return parseAs((text) => parsePairs(text, fields + 1)); // one more than allowed shows that there are too many
    case 'application/json':
      return parseAs(parseJson);
    default:
      throw unsupported(`A body must be ${FORM_TYPES.join(', ')}, in UTF-8 and not compressed.`);
  }
}

/**
 * The pairs of a urlencoded form as sent, neither trimmed nor limited in number; a repeated name yields an array.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseRawForm(request: Request, maxBytes: number): Promise<ParsedUrlQuery> {
  if (request.readableEnded && isObject(request.body)) return request.body as ParsedUrlQuery;
  if (mediaType(request) !== 'application/x-www-form-urlencoded') throw unsupported('A body must be a urlencoded form in UTF-8.');
  limitBody(request, maxBytes);
  return parsePairs(await readText(request, request.res!), MAX_PAIRS);
}

export function parseQuery(text: string | null): ParsedUrlQuery {
  return parsePairs(text ?? '', MAX_PAIRS);
}

/** Removes empty pairs (`&&`), which Node counts towards maxKeys. */
function parsePairs(text: string, maxKeys: number): ParsedUrlQuery {
  return parse(text.replace(/^&+|&+(?=&|$)/g, ''), '&', '=', { maxKeys });
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

/**
 * Checks Content-Length, and counts bytes as they arrive, since a chunked body declares no length. One too many fails the request's
 * stream, without reading the rest. @throws RequestError 413
 */
export function limitBody(request: Request, maxBytes: number): void {
  const tooLong = () => tooLarge(`A body may have at most ${maxBytes} bytes.`, { Connection: 'close' });
  if (Number(request.headers['content-length']) > maxBytes) throw tooLong();
  let bytes = request.readableLength;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= maxBytes) return push(chunk);
    request.emit('error', tooLong());
    return false;
  };
}

/** Runs a middleware that reads the body, but doesn't wait, as they do, for the end of a body that has failed. */
function consume(request: Request, read: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    read((error) => {
      request.off('error', reject);
      if (error) reject(error);
      else resolve();
    });
  });
}

async function readText(request: Request, response: Response): Promise<string> {
  await consume(request, (done) => parseText(request, response, done)).catch((error: unknown) => {
    throw error instanceof RequestError ? error : RequestError.malformed('The body ended too early.');
  });
  return (request.body as string | undefined) ?? '';
}

function requireUtf8(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw RequestError.malformed('The body is not valid UTF-8.');
}

function parseJson(text: string): object {
  if (text === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw RequestError.malformed('The body is not valid JSON.');
  }
  if (!isObject(parsed)) throw RequestError.malformed('A JSON body must be an object.');
  // class-transformer and class-validator recurse: deeper input could overflow the stack.
  if (isNestedTooDeeply(parsed)) throw RequestError.malformed('A JSON body may be nested at most 100 levels deep.');
  return parsed;
}

function checkValues(body: object, { fields, valueBytes }: FormLimit): object {
  const values: unknown[] = Object.values(body);
  const isRepeated = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === 'string');
  const all = values.flatMap((value) => (isRepeated(value) ? value : [value]));
  if (!Array.isArray(body) && all.length > fields) throw tooLarge(fieldLimit(fields));
  if (all.some((value) => typeof value === 'string' && Buffer.byteLength(value) > valueBytes))
    throw tooLarge(`A value may have at most ${valueBytes} bytes.`);
  return body;
}

async function readMultipart(request: Request, response: Response, fields: number): Promise<object> {
  const chunks: Buffer[] = [];
  let fieldCount = -1; // stays -1, and so fails the check below, if multer skips the body because of its content type
  // No separate limits: a long name is reported as unknown, as with other content types; a value is measured once it is decoded.
  const [fieldNameSize, fieldSize] = [FORM_LIMITS.bodyBytes, FORM_LIMITS.bodyBytes];
  const options = {
    limits: { ...MULTIPART_LIMITS, fields, parts: fields, files: 0, fieldSize, fieldNameSize },
    streamHandler(_request: Request, busboy: NodeJS.WritableStream) {
      fieldCount = 0;
      decodeFields(busboy).on('field', () => fieldCount++);
      request.on('data', (chunk: Buffer) => chunks.push(chunk)).pipe(busboy);
    },
  };
  await consume(request, (done) => multer(options).none()(request, response, done)).catch((error: unknown) => {
    throw error instanceof RequestError ? error : translate(error as MulterFailure, fields);
  });
  if (countParts(request, Buffer.concat(chunks)) !== fieldCount) throw translate({}, fields);
  return request.body as object;
}

/** busboy silently skips parts, even files, whose headers it can't parse. */
function countParts({ headers }: Request, body: Buffer): number {
  const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
  const parts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1);
  return parts.filter((part) => /^[ \t]*\r\n/.test(part)).length; // RFC 2046, 5.1.1, allows the white space
}

interface MulterFailure {
  code?: string;
  field?: string;
}

const NO_FILE = 'A body may not hold a file.';
const NO_BRACKETS = 'The name of a field may not have brackets.';

const MULTER_ERRORS: Record<string, [ErrorCode, string]> = {
  LIMIT_FILE_COUNT: ['malformed_request', NO_FILE],
  LIMIT_UNEXPECTED_FILE: ['malformed_request', NO_FILE],
  LIMIT_FIELD_NESTING: ['unknown_parameter', NO_BRACKETS],
  LIMIT_FIELD_ARRAY_INDEX: ['unknown_parameter', NO_BRACKETS],
};

function translate({ code = '', field }: MulterFailure, fields: number): RequestError {
  if (code === 'LIMIT_FIELD_COUNT' || code === 'LIMIT_PART_COUNT') return tooLarge(fieldLimit(fields));
  const [errorCode, detail] = MULTER_ERRORS[code] ?? ['malformed_request', 'The body does not follow its content type.'];
  return RequestError.of(errorCode, detail, errorCode === 'unknown_parameter' && field ? { in: 'form', name: field } : undefined);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function unsupported(detail: string, header = 'Content-Type'): RequestError {
  return RequestError.inHeader('unsupported_media_type', detail, header);
}

function fieldLimit(fields: number): string {
  return `A body may have at most ${fields} fields.`;
}

function tooLarge(detail: string, headers?: Record<string, string>): RequestError {
  return RequestError.of('payload_too_large', detail, undefined, headers);
}
