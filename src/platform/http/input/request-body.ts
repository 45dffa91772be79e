import { isUtf8 } from 'node:buffer';
import { parse, type ParsedUrlQuery, unescape } from 'node:querystring';
import type { Writable } from 'node:stream';
import { MIMEType } from 'node:util';
import type { NextFunction, Request, Response } from 'express';
import multer from 'multer';
import getRawBody from 'raw-body';
import { isNestedTooDeeply } from '../../common/records';
import { printableName, RequestError } from '../../common/errors';

/** Content types of a form; a flat JSON object counts as one. */
export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;

export interface FormLimit {
  fields: number;
  valueBytes: number;
}

export const FORM_LIMITS = { fields: 16, valueBytes: 8 * 1024, bodyBytes: 64 * 1024 };

/** With multer's defaults, a field named a[30000000] blocks the process for most of a second. */
export const MULTIPART_LIMITS = { headerPairs: 16, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 };

/** Mentions the charset because some clients send `Content-Encoding: utf-8`. */
const COMPRESSED_BODY = 'A body must not be compressed: leave Content-Encoding out; a charset belongs in Content-Type.';

/** Name-value pairs; the same as Node's default `maxKeys`. */
const MAX_PAIRS = 1_000;

/**
 * Returns the fields by name. JSON values keep their types, form values are strings, and a repeated name yields an array.
 * @throws RequestError 400, 413, 415
 */
export async function readBody(request: Request, response: Response, limits: FormLimit): Promise<object> {
  if (request.readableEnded && isObject(request.body)) return request.body; // an extension's parser has read it
  checkBodyHeaders(request, FORM_LIMITS.bodyBytes);
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (transfer === undefined && !Number(length)) return {};
  return checkValues(await parseBody(request, response, limits.fields), limits);
}

async function parseBody(request: Request, response: Response, fields: number): Promise<object> {
  const type = mediaType(request);
  if (!isFormType(type)) throw unsupported(`A body must be one of ${FORM_TYPES.join(', ')}; in UTF-8 and not compressed.`);
  const bytes = await readBytes(request, FORM_LIMITS.bodyBytes);
  if (type === 'multipart/form-data') return parseMultipart(bytes, request, response, fields);
  const text = toText(bytes);
  return type === 'application/json' ? parseJson(text) : parsePairs(text, fields + 1); // one more, to detect too many
}

function isFormType(type: string | undefined): type is (typeof FORM_TYPES)[number] {
  return (FORM_TYPES as readonly (string | undefined)[]).includes(type);
}

/**
 * The pairs of a urlencoded form as sent, neither trimmed nor limited in number; a repeated name yields an array.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseRawForm(request: Request, maxBytes: number): Promise<ParsedUrlQuery> {
  if (request.readableEnded && isObject(request.body)) return request.body as ParsedUrlQuery;
  if (mediaType(request) !== 'application/x-www-form-urlencoded') throw unsupported('A body must be a urlencoded form in UTF-8.');
  checkBodyHeaders(request, maxBytes);
  return parsePairs(toText(await readBytes(request, maxBytes)), MAX_PAIRS);
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

/** Refuses a body before any of it is read. @throws RequestError 413, 415 */
export function checkBodyHeaders({ headers }: Request, maxBytes: number): void {
  const { 'content-encoding': encoding = '', 'content-length': length } = headers;
  if (!/^(identity)?$/i.test(encoding)) throw unsupported(COMPRESSED_BODY, 'Content-Encoding');
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** Reads the body up to the limit; beyond it, the connection is closed without reading the rest. @throws RequestError 400, 413 */
async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit: maxBytes, length: request.headers['content-length'] });
  } catch (error) {
    throw (error as getRawBody.RawBodyError).type === 'entity.too.large'
      ? bodyTooLarge(maxBytes)
      : RequestError.malformed('The body ended too early.');
  }
}

function toText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw RequestError.malformed('The body is not valid UTF-8.');
  return bytes.toString();
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

async function parseMultipart(bytes: Buffer, request: Request, response: Response, fields: number): Promise<object> {
  const boundary = boundaryOf(request);
  if (!bytes.includes(`--${boundary}`, 0, 'latin1')) throw missingBoundary();
  let file: string | undefined;
  let fieldCount = -1; // stays -1, and so fails the check below, if multer skips the body because of its content type
  // Both get the body's limit: a long name is reported as unknown, as with other content types, and values are measured once decoded.
  const [fieldNameSize, fieldSize] = [FORM_LIMITS.bodyBytes, FORM_LIMITS.bodyBytes];
  const options = {
    limits: { ...MULTIPART_LIMITS, fields, parts: fields, fieldSize, fieldNameSize },
    streamHandler(_request: Request, busboy: Writable) {
      fieldCount = 0;
      decodeFields(busboy)
        .on('field', () => fieldCount++)
        .on('file', (name = '') => (file ??= name));
      busboy.end(bytes);
    },
  };
  const failure = await new Promise<MulterFailure | undefined>((resolve) => {
    multer(options).none()(request, response, resolve as NextFunction);
  });
  if (file !== undefined) throw fileNotAllowed(file); // multer skips a file without a filename
  if (failure || countParts(boundary, bytes) !== fieldCount) throw toRequestError(failure ?? {}, fields);
  return request.body as object;
}

type FieldListener = (name: string, value: string | undefined, info: { encoding: string }) => void;

/** Decodes base64 and quoted-printable values of multipart fields (RFC 2045, 6), which busboy and multer leave as they are. */
export function decodeFields<T extends NodeJS.WritableStream>(busboy: T): T {
  const listeners = busboy.listeners('field') as FieldListener[];
  const decode: FieldListener = (name, value, info) =>
    listeners.forEach((listen) => listen(name, decodeTransfer(value, info.encoding), info));
  return busboy.removeAllListeners('field').on('field', decode);
}

/** Decodes base64 and quoted-printable. busboy has no value for a part in an unknown charset: it counts as text that isn't UTF-8. */
function decodeTransfer(value = '\ufffd', encoding?: string): string {
  if (encoding === 'base64') return Buffer.from(value, 'base64').toString();
  if (encoding !== 'quoted-printable') return value;
  const joined = value.replace(/=\r?\n/g, '').replaceAll('%', '%25');
  return unescape(joined.replace(/=([0-9A-F]{2})/gi, '%$1'));
}

/** The boundary of a multipart body. @throws RequestError 400 if Content-Type names none */
export function boundaryOf({ headers }: Request): string {
  const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
  if (!boundary) throw missingBoundary();
  return boundary;
}

function missingBoundary(): RequestError {
  const detail =
    'Content-Type must name the boundary between the parts of the body: leave this header to the HTTP library, or add the boundary.';
  return RequestError.inHeader('malformed_request', detail, 'Content-Type');
}

/** Counted here, because busboy silently skips parts, even files, whose headers it can't parse. */
function countParts(boundary: string, body: Buffer): number {
  const parts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1);
  return parts.filter((part) => /^[ \t]*\r\n/.test(part)).length; // RFC 2046, 5.1.1, allows the white space
}

interface MulterFailure {
  code?: string;
  field?: string;
}

function toRequestError({ code = '', field }: MulterFailure, fields: number): RequestError {
  if (['LIMIT_FIELD_COUNT', 'LIMIT_PART_COUNT'].includes(code)) return tooLarge(fieldLimit(fields));
  if (!['LIMIT_FIELD_NESTING', 'LIMIT_FIELD_ARRAY_INDEX'].includes(code))
    return RequestError.malformed('The body does not follow its content type.');
  const source = field ? ({ in: 'form', name: field } as const) : undefined;
  return RequestError.of('unknown_parameter', 'Field names must not contain brackets.', source);
}

/** busboy treats a part as a file because of its filename or its type. */
function fileNotAllowed(name: string): RequestError {
  const advice =
    'send it as text, without a filename and not as application/octet-stream (curl: -F name=value or -F name=<file, not -F name=@file)';
  return RequestError.of('malformed_request', `${printableName(name)} may not be a file: ${advice}.`, { in: 'form', name });
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

/** Closes the connection, because Node would otherwise read the rest of the body before the next request. */
export function bodyTooLarge(maxBytes: number): RequestError {
  return RequestError.of('payload_too_large', `A body may have at most ${maxBytes} bytes.`, undefined, { Connection: 'close' });
}

function tooLarge(detail: string): RequestError {
  return RequestError.of('payload_too_large', detail);
}
