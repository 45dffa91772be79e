import { parse, type ParsedUrlQuery } from 'node:querystring';

/**
 * The parameters of a query. Node reads 1,000 and passes over the rest without a word: so many with a name are refused
 * anyway, but nothing between two ampersands counts as one, too, and would hide a filter that stands behind it.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  return parse((text ?? '').replace(/&{2,}/g, '&'));
}
