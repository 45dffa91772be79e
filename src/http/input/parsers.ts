import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { Request, Response } from 'express';
import { RequestError } from '../errors/request-error';
import type { RawInput } from './check-input';
import { asText } from './field';
import { FIELD_LIMIT, multipartParser, valueLimit } from './multipart';
import { FORM_LIMITS, isParsed, mediaType, readBody, unsupported } from './request-body';

/** Content types of a form; a flat JSON object counts as one. */
export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;

/** Same as Node's default `maxKeys`. */
const MAX_PAIRS = 1_000;

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

export function parseQuery(text: string | null): ParsedUrlQuery {
  return parsePairs(text ?? '', MAX_PAIRS);
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

export function trimValues(fields: RawInput): RawInput {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]));
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

/** Removes empty pairs (`&&`), which Node counts towards maxKeys. */
function parsePairs(text: string, maxKeys: number): ParsedUrlQuery {
  return parse(text.replace(/^&+|&+(?=&|$)/g, ''), '&', '=', { maxKeys });
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
