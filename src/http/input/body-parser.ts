import type { Request, Response } from 'express';
import { decode, FORM_LIMITS, formType, malformed, otherContentType, parseMultipart, readJson } from './parsers';
import { readMultipart } from './multipart';
import { parsePairs } from './query-parser';
import { isParsed, readBody } from './request-body';

const MAX_FIELDS = 1_000;
/** class-transformer and class-validator descend by recursion: deeper input could overflow the stack. */
const MAX_DEPTH = 100;

const multipart = readMultipart({ fields: MAX_FIELDS, valueBytes: FORM_LIMITS.bodyBytes, bodyBytes: FORM_LIMITS.bodyBytes });

/**
 * A body as Nest's own parsers give it: JSON with its types, forms as texts, a repeated name as an array.
 * @throws RequestError 400 malformed_request, 413, 415
 */
export async function parseBody(request: Request, response: Response): Promise<object> {
  if (isParsed(request)) return request.body as object;
  const body = await readBody(request, FORM_LIMITS.bodyBytes);
  if (body.length === 0) return {};
  switch (formType(request.headers['content-type'])) {
    case 'multipart/form-data':
      return parseMultipart(multipart, request, response, body);
    case 'application/x-www-form-urlencoded':
      return parsePairs(decode(body), MAX_FIELDS);
    case 'application/json':
      return parseJson(decode(body));
    default:
      throw otherContentType();
  }
}

function parseJson(text: string): object {
  const parsed = readJson(text);
  if (depthOf(text) > MAX_DEPTH) throw malformed(`A JSON body may be nested ${MAX_DEPTH} levels deep.`);
  if (typeof parsed !== 'object' || parsed === null) throw malformed('A JSON body must be an object or an array.');
  return parsed;
}

/** Expects valid JSON: an unterminated string would make this quadratic. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}
