import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { FieldType } from '../common/field-types';
import { hasValidPunycode } from '../common/punycode';

const HOST_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A DNS host name: lower case, no trailing dot, other scripts in Punycode. */
export const HOST: FieldType<string> = {
  expected: `a host name of two labels or more and at most ${HOST_LENGTH} characters, without a scheme, port, path, IP address or underscore`,
  schema: { type: 'string', minLength: 1, maxLength: HOST_LENGTH, examples: ['www.example.com'] },
  parse(value) {
    // domainToASCII parses like a URL: it would decode %2e, cut at a slash, and drop invisible characters.
    if (/[\s\p{Cc}%:/\\?#@[\]<>^|]|(?![\u200C\u200D])\p{Cf}/u.test(value)) return undefined;
    const host = domainToASCII(value).replace(/\.$/, '');
    const labels = host.split('.');
    // After the conversion, which turns 0x7f.1 and fullwidth digits into an address.
    const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && isIP(host) === 0 && hasValidPunycode(host);
    return isName && host.length <= HOST_LENGTH ? host : undefined;
  },
};
