import { MIMEType } from 'node:util';
import type { Request, Response } from 'express';
import type { RawInput } from './check-input';
import { readMultipart } from './multipart';
import { parsePairs } from './query-parser';
import { isParsed, readBody } from './request-body';
import { type ErrorCode, RequestError } from '../errors/request-error';
import { asText } from './json-text';

export const FORM_LIMITS = { fields: 16, valueBytes: 8 * 1024, bodyBytes: 64 * 1024 };

/** The content types that a form may have; a flat JSON object counts as one. */
export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;

const multipart = readMultipart(FORM_LIMITS);

/**
 * The fields of a request's body, trimmed. A name that comes twice has an array of its values.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseForm(request: Request, response: Response): Promise<RawInput> {
  if (isParsed(request)) return trimValues(request.body as RawInput);
  const body = await readBody(request, FORM_LIMITS.bodyBytes);
  if (body.length === 0) return {};
  const fields = await parseBody(request, response, body);
  checkLimits(fields);
  return trimValues(fields);
}

export function trimValues(fields: RawInput): RawInput {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]));
}

async function parseBody(request: Request, response: Response, body: Buffer): Promise<RawInput> {
  switch (formType(request.headers['content-type'])) {
    case 'multipart/form-data':
      return parseMultipart(multipart, request, response, body);
    case 'application/x-www-form-urlencoded':
      return parsePairs(decode(body), FORM_LIMITS.fields + 1);
    case 'application/json':
      return parseJson(decode(body));
    default:
      throw otherContentType();
  }
}

export function otherContentType(): RequestError {
  const detail = `A body must be ${FORM_TYPES.join(', ')}, in UTF-8 and not compressed.`;
  return RequestError.of('unsupported_media_type', detail, { in: 'header', name: 'Content-Type' });
}

export function formType(header = ''): string | undefined {
  try {
    const { essence, params } = new MIMEType(header);
    return /^utf-?8$/i.test(params.get('charset') ?? 'utf-8') ? essence : undefined;
  } catch {
    return undefined;
  }
}

export function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

/** @throws RequestError 400 malformed_request */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

/** A flat object, its numbers and booleans as the text a form would hold; JSON.parse keeps the last of a doubled name. */
function parseJson(text: string): RawInput {
  const parsed = readJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw malformed('A JSON body must be an object.');

  const fields = new Map<string, unknown>(Object.entries(parsed));
  for (const [name, value] of fields) fields.set(name, asText(value) ?? value);
  const names = namesIn(text);
  if (names.length > FORM_LIMITS.fields) throw tooManyFields();
  for (const [index, name] of names.entries()) if (names.indexOf(name) < index) fields.set(name, []);
  return Object.fromEntries(fields);
}

/** In valid JSON a string followed by a colon is a name; nested objects are refused anyway, so their names may count too. */
function namesIn(json: string): string[] {
  const literals = [...json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)/g)];
  return literals.filter(([, , colon]) => colon).map(([, literal]) => JSON.parse(literal) as string);
}

function checkLimits(fields: RawInput): void {
  const values = Object.values(fields).flat();
  if (values.length > FORM_LIMITS.fields) throw tooManyFields();
  if (values.some((value) => typeof value === 'string' && Buffer.byteLength(value) > FORM_LIMITS.valueBytes)) throw tooLarge(VALUE_LIMIT);
}

/** @throws RequestError 400 malformed_request, unknown_parameter, 413 */
export async function parseMultipart(
  reader: ReturnType<typeof readMultipart>,
  request: Request,
  response: Response,
  rawBody: Buffer,
): Promise<RawInput> {
  Object.assign(request, { rawBody });
  try {
    await new Promise<void>((resolve, reject) => reader(request, response, (error) => (error ? reject(error) : resolve())));
  } catch (error) {
    throw translate(error as { code?: string; field?: string });
  }
  return request.body as RawInput;
}

const FIELD_LIMIT = `A body may have at most ${FORM_LIMITS.fields} fields.`;
const VALUE_LIMIT = `A value may have at most ${FORM_LIMITS.valueBytes} bytes.`;

const MULTER_ERRORS: Record<string, [ErrorCode, string]> = {
  LIMIT_FIELD_VALUE: ['payload_too_large', VALUE_LIMIT],
  LIMIT_FIELD_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_PART_COUNT: ['payload_too_large', FIELD_LIMIT],
  LIMIT_FILE_COUNT: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_UNEXPECTED_FILE: ['malformed_request', 'A body may not hold a file.'],
  LIMIT_FIELD_NESTING: ['unknown_parameter', 'The name of a field may not have brackets.'],
  LIMIT_FIELD_ARRAY_INDEX: ['unknown_parameter', 'The name of a field may not have brackets.'],
};

/** What multer reports, in the words of the interface. */
function translate({ code, field }: { code?: string; field?: string }): RequestError {
  const [errorCode, detail] = MULTER_ERRORS[code ?? ''] ?? ['malformed_request', 'The body does not follow its content type.'];
  return RequestError.of(errorCode, detail, errorCode === 'unknown_parameter' && field ? { in: 'form', name: field } : undefined);
}

export function malformed(detail: string): RequestError {
  return RequestError.of('malformed_request', detail);
}

function tooManyFields(): RequestError {
  return tooLarge(FIELD_LIMIT);
}

function tooLarge(detail: string): RequestError {
  return RequestError.of('payload_too_large', detail);
}
