import { domainToASCII } from 'node:url';
import { oneOf } from '../common/field-types';
import { foldPart } from '../common/fold-text';
import { contains, ENABLED, equals, listQuery, times } from '../http/pagination/list-query';

export const SCHEME = oneOf(['https://', 'http://'], 'https://');

export class DomainQuery extends listQuery({
  filters: { host: contains('host', 'example.com', textsOf), scheme: equals(SCHEME), is_enabled: ENABLED, ...times() },
  orderby: ['host', 'datetime', 'last_datetime'],
}) {}

/** Hosts are stored in Punycode. domainToASCII parses like a URL: it would cut at a slash, and decode %2e. */
function textsOf(text: string): [string, string?] {
  const folded = foldPart(text);
  const mayBeUnicode = /\P{ASCII}/u.test(text) && !/[%/\\?#]/.test(text);
  const punycode = mayBeUnicode ? domainToASCII(text) : '';
  if (punycode === '' || punycode === folded) return [folded];
  return /^\p{ASCII}+$/u.test(folded) ? [punycode, folded] : [punycode];
}
