import { MIMEType, promisify } from 'node:util';
import type { Request, Response } from 'express';
import multer from 'multer';
import { type ErrorCode, RequestError } from '../errors/request-error';
import { asText, type RawInput, trimValues } from './fields';
import { FORM_LIMITS, isParsed, MAX_PAIRS, mediaType, parsePairs, readBody, unsupported, MULTIPART_LIMITS } from './request-body';

/** Content types of a form; a flat JSON object counts as one. */
export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;

/** class-transformer and class-validator recurse: deeper input could overflow the stack. */
const MAX_DEPTH = 100;

/** Limits and parsers of a body. */
interface BodyFormat {
  maxPairs: number;
  parseMultipart: ReturnType<typeof multipartParser>;
  parseJson: (text: string) => object;
}

export interface FormFormat extends BodyFormat {
  valueBytes: number;
}

/** `fieldCount` is undefined when multer doesn't recognize the content type and leaves the body unread. */
type BufferedRequest = Request & { rawBody: Buffer; fieldCount?: number };

const FIELD_LIMIT = `A body may have at most ${FORM_LIMITS.fields} fields.`;

const MULTER_ERRORS: Record<string, [ErrorCode, string]> = {
  LIMIT_FIELD_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_PART_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_FILE_COUNT: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_UNEXPECTED_FILE: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_FIELD_NESTING: ['unknown_parameter', 'The name of a field may not have brackets.'],
  LIMIT_FIELD_ARRAY_INDEX: ['unknown_parameter', 'The name of a field may not have brackets.'],
};

/** The API's forms, flat and small. */
export const FORM = formFormat(FORM_LIMITS.valueBytes);

/** For other routes: the body that Nest's own parsers would return. */
const ANY_BODY: BodyFormat = {
  maxPairs: MAX_PAIRS,
  parseMultipart: multipartParser(MAX_PAIRS, FORM_LIMITS.bodyBytes),
  parseJson: parseAnyJson,
};

export function formFormat(valueBytes: number): FormFormat {
  const parseMultipart = multipartParser(FORM_LIMITS.fields, valueBytes);
  return { valueBytes, maxPairs: FORM_LIMITS.fields + 1, parseMultipart, parseJson: parseFlatJson };
}

/**
 * The fields of a form, trimmed; a repeated name yields an array.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseForm(request: Request, response: Response, format: FormFormat): Promise<RawInput> {
  if (isParsed(request)) return trimValues(request.body as RawInput);
  const fields = (await parseBody(request, response, format)) as RawInput;
  const values = Object.values(fields).flat();
  if (values.length > FORM_LIMITS.fields) throw tooLarge(FIELD_LIMIT);
  const isTooLong = (value: unknown) => typeof value === 'string' && Buffer.byteLength(value) > format.valueBytes;
  if (values.some(isTooLong)) throw tooLarge(valueLimit(format.valueBytes));
  return trimValues(fields);
}

/**
 * JSON keeps its types, forms yield strings; a repeated name yields an array.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseBody(request: Request, response: Response, format = ANY_BODY): Promise<object> {
  if (isParsed(request)) return request.body as object;
  const body = await readBody(request);
  if (body.length === 0) return {};
  switch (mediaType(request)) {
    case 'multipart/form-data':
      return format.parseMultipart(request, response, body);
    case 'application/x-www-form-urlencoded':
      return parsePairs(decode(body), format.maxPairs);
    case 'application/json':
      return format.parseJson(decode(body));
    default:
      throw unsupported(`A body must be ${FORM_TYPES.join(', ')}, in UTF-8 and not compressed.`);
  }
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw RequestError.malformed('The body is not valid UTF-8.');
  }
}

/** Numbers and Booleans become strings, as in a form. A repeated name gets a value that fails validation; JSON.parse would keep the last. */
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
  if (depthOf(text) > MAX_DEPTH) throw RequestError.malformed(`A JSON body may be nested ${MAX_DEPTH} levels deep.`);
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

function tooLarge(detail: string): RequestError {
  return RequestError.of('payload_too_large', detail);
}

/** Returns a parser for a body already read. It throws RequestError 400 malformed_request or unknown_parameter, or 413. */
function multipartParser(fields: number, fieldSize: number) {
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

function valueLimit(bytes: number): string {
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
