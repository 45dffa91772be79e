import { domainToASCII } from 'node:url';
import type { FieldType } from '../common/field-types';
import { isHostName, MAX_HOST_LENGTH, withoutDot } from '../common/hosts/host-name';
import { hasValidPunycode } from '../common/hosts/punycode';

/** A DNS host name: lower case, no trailing dot, other scripts in Punycode. */
export const HOST: FieldType<string> = {
  expected: `a host name of two labels or more and at most ${MAX_HOST_LENGTH} characters, without a scheme, port, path, IP address or underscore`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_HOST_LENGTH, examples: ['www.example.com'] },
  parse(value) {
    // domainToASCII parses like a URL: it would decode %2e, cut at a slash, and drop invisible characters.
    if (/[\s\p{Cc}%:/\\?#@[\]<>^|]|(?![\u200C\u200D])\p{Cf}/u.test(value)) return undefined;
    const host = withoutDot(domainToASCII(value));
    // After the conversion, which turns 0x7f.1 and fullwidth digits into an address.
    return isHostName(host) && hasValidPunycode(host) ? host : undefined;
  },
};
