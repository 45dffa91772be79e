import { parse, type ParsedUrlQuery } from 'node:querystring';

/** Node's own limit. So many parameters with a name are refused anyway: no route takes them. */
const MAX_PARAMETERS = 1_000;

export function parseQuery(text: string | null): ParsedUrlQuery {
  return parsePairs(text ?? '', MAX_PARAMETERS);
}

/** The first pairs of `name=value&…`. Node counts nothing between two ampersands as a pair, too, which would hide one behind it. */
export function parsePairs(text: string, max: number): ParsedUrlQuery {
  return parse(text.replace(/^&+|&+(?=&|$)/g, ''), '&', '=', { maxKeys: max });
}
