import { parse, type ParsedUrlQuery } from 'node:querystring';
import { MIMEType } from 'node:util';
import type { Request, Response } from 'express';
import multer from 'multer';
import { type ErrorCode, RequestError } from '../request-error';
import { asText, type RawInput, trimValues } from './fields';
import { decodeFields } from './transfer-encoding';

/** Content types of a form; a flat JSON object counts as one. */
export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;

export const FORM_LIMITS = { fields: 16, valueBytes: 8 * 1024, bodyBytes: 64 * 1024 };

/** With multer's defaults, a field named a[30000000] blocks the process for most of a second. */
export const MULTIPART_LIMITS = { headerPairs: 16, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 };

/** Same as Node's default `maxKeys`. */
const MAX_PAIRS = 1_000;

/** No legitimate client sends 64 KiB in more chunks. */
const MAX_CHUNKS = 4_096;

/** class-transformer and class-validator recurse: deeper input could overflow the stack. */
const MAX_DEPTH = 100;

interface BodyFormat {
  fields: number;
  parseJson: (text: string) => object;
}

/** Parses a body as Nest's own parsers would. */
const ANY_BODY: BodyFormat = { fields: MAX_PAIRS, parseJson: parseAnyJson };

/**
 * The fields of a flat form, trimmed; a repeated name yields an array.
 * @throws RequestError 400, 413, 415
 */
export async function parseForm(request: Request, response: Response, valueBytes: number): Promise<RawInput> {
  if (isParsed(request)) return trimValues(request.body as RawInput);
  const fields = (await parseBody(request, response, { fields: FORM_LIMITS.fields, parseJson: parseFlatJson })) as RawInput;
  const values = Object.values(fields).flat();
  const strings = values.filter((value) => typeof value === 'string'); // numbers are one field's array in JSON
  if (strings.length > FORM_LIMITS.fields) throw tooLarge(FIELD_LIMIT);
  if (strings.some((value) => Buffer.byteLength(value) > valueBytes)) throw tooLarge(`A value may have at most ${valueBytes} bytes.`);
  return trimValues(fields);
}

/**
 * JSON keeps its types, forms yield strings; a repeated name yields an array.
 * @throws RequestError 400, 413, 415
 */
export async function parseBody(request: Request, response: Response, format = ANY_BODY): Promise<object> {
  if (isParsed(request)) return request.body as object;
  const body = await readBody(request);
  if (body.length === 0) return {};
  switch (mediaType(request)) {
    case 'multipart/form-data':
      return parseMultipart(request, response, body, format);
    case 'application/x-www-form-urlencoded':
      return parsePairs(decode(body), Math.min(format.fields + 1, MAX_PAIRS)); // one more than allowed shows that there are too many
    case 'application/json':
      return format.parseJson(decode(body));
    default:
      throw unsupported(`A body must be ${FORM_TYPES.join(', ')}, in UTF-8 and not compressed.`);
  }
}

/**
 * The pairs of a urlencoded form as sent, neither trimmed nor limited in number; a repeated name yields an array.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseRawForm(request: Request, maxBytes: number): Promise<ParsedUrlQuery> {
  if (isParsed(request)) return request.body as ParsedUrlQuery;
  if (mediaType(request) !== 'application/x-www-form-urlencoded') throw unsupported('A body must be a urlencoded form in UTF-8.');
  return parsePairs(decode(await readBody(request, maxBytes)), MAX_PAIRS);
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

/** Whether a body parser added by an extension has already read the body. */
function isParsed({ readableEnded, body }: Request): boolean {
  return readableEnded && typeof body === 'object' && body !== null;
}

/** Reads the whole body. One that is too long is refused without reading the rest, so the connection closes. */
async function readBody(request: Request, maxBytes = FORM_LIMITS.bodyBytes): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
  if (encoding.toLowerCase() !== 'identity') throw unsupported('A body must not be compressed.', 'Content-Encoding');
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  return collect(request, maxBytes);
}

/** Uses events: an async iterator takes twice as long (1 MB in chunks of one byte: 60 ms). */
function collect(request: Request, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (error: RequestError) => {
      request.off('data', take).pause(); // not destroyed: the response still goes out on this connection
      reject(error);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) stop(bodyTooLarge(maxBytes));
      else if (chunks.push(chunk) > MAX_CHUNKS) stop(tooLarge(`A body may have at most ${MAX_CHUNKS} chunks.`, CLOSE));
    };
    request
      .on('data', take)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('close', () => request.complete || reject(RequestError.malformed('The body ended too early.')));
  });
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw RequestError.malformed('The body is not valid UTF-8.');
  }
}

/** Numbers and Booleans become strings, as in a form. A repeated name gets an invalid value; JSON.parse would keep the last. */
function parseFlatJson(text: string): RawInput {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw RequestError.malformed('A JSON body must be an object.');

  const fields = new Map<string, unknown>(Object.entries(parsed).map(([name, value]) => [name, asText(value) ?? value]));
  const names = namesIn(text);
  if (names.length > FORM_LIMITS.fields) throw tooLarge(FIELD_LIMIT);
  for (const [index, name] of names.entries()) if (names.indexOf(name) < index) fields.set(name, []);
  return Object.fromEntries(fields);
}

/** In valid JSON, a string before a colon is a name. Nested ones count too: nested objects are refused anyway. */
function namesIn(json: string): string[] {
  const literals = [...json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)/g)];
  return literals.filter(([, , colon]) => colon).map(([, literal]) => JSON.parse(literal) as string);
}

function parseAnyJson(text: string): object {
  const parsed = parseJson(text);
  if (depthOf(text) > MAX_DEPTH) throw RequestError.malformed(`A JSON body may be nested at most ${MAX_DEPTH} levels deep.`);
  if (typeof parsed !== 'object' || parsed === null) throw RequestError.malformed('A JSON body must be an object or an array.');
  return parsed;
}

/** Requires valid JSON: an unterminated string would make this quadratic. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw RequestError.malformed('The body is not valid JSON.');
  }
}

const FIELD_LIMIT = `A body may have at most ${FORM_LIMITS.fields} fields.`;

const MULTER_ERRORS: Record<string, [ErrorCode, string]> = {
  LIMIT_FIELD_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_PART_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_FILE_COUNT: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_UNEXPECTED_FILE: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_FIELD_NESTING: ['unknown_parameter', 'The name of a field may not have brackets.'],
  LIMIT_FIELD_ARRAY_INDEX: ['unknown_parameter', 'The name of a field may not have brackets.'],
};

async function parseMultipart(request: Request, response: Response, rawBody: Buffer, { fields }: BodyFormat): Promise<RawInput> {
  // No separate limits: a long name is reported as unknown, as with other content types; a value is measured once it is decoded.
  const [fieldNameSize, fieldSize] = [FORM_LIMITS.bodyBytes, FORM_LIMITS.bodyBytes];
  let fieldCount = -1; // stays -1, and so fails the check below, if multer skips the body because of its content type
  const options = {
    limits: { ...MULTIPART_LIMITS, fields, parts: fields, files: 0, fieldSize, fieldNameSize },
    streamHandler(_request: Request, busboy: NodeJS.WritableStream) {
      fieldCount = 0;
      decodeFields(busboy)
        .on('field', () => fieldCount++)
        .end(rawBody);
    },
  };
  await new Promise<void>((resolve, reject) => {
    multer(options).none()(request, response, (given?: unknown) => {
      if (given) reject(translate(given));
      else resolve();
    });
  });
  if (countParts(request, rawBody) !== fieldCount) throw translate({});
  return request.body as RawInput;
}

/** busboy silently skips parts, even files, whose headers it can't parse. */
function countParts({ headers }: Request, body: Buffer): number {
  const boundary = new MIMEType(headers['content-type'] ?? '').params.get('boundary');
  const parts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1);
  return parts.filter((part) => /^[ \t]*\r\n/.test(part)).length; // RFC 2046, 5.1.1, allows the white space
}

function translate({ code, field }: { code?: string; field?: string }): RequestError {
  const [errorCode, detail] = MULTER_ERRORS[code ?? ''] ?? ['malformed_request', 'The body does not follow its content type.'];
  return RequestError.of(errorCode, detail, errorCode === 'unknown_parameter' && field ? { in: 'form', name: field } : undefined);
}

function unsupported(detail: string, header = 'Content-Type'): RequestError {
  return RequestError.inHeader('unsupported_media_type', detail, header);
}

const CLOSE = { Connection: 'close' };

export function bodyTooLarge(maxBytes: number): RequestError {
  return tooLarge(`A body may have at most ${maxBytes} bytes.`, CLOSE);
}

function tooLarge(detail: string, headers?: Record<string, string>): RequestError {
  return RequestError.of('payload_too_large', detail, undefined, headers);
}
