import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';

/** Without a trailing dot. RFC 1035, 2.3.4, allows 255 bytes, of which the first length and the root take two. */
export const MAX_HOST_LENGTH = 253;
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether it is a lower-case host name of two labels or more, without a trailing dot, and not an IP address. */
export function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_LENGTH && NAME.test(text) && isIP(text) === 0;
}

export function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Whether all `xn--` labels of a host decode. Node's URL parser accepts invalid ones from version 24 on. */
export function hasValidPunycode(host: string): boolean {
  return host.split('.').every((label) => !label.startsWith('xn--') || !['', label].includes(domainToUnicode(label)));
}
