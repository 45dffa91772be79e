import { domainToUnicode } from 'node:url';

/** Whether all `xn--` labels of a host decode. Node's URL parser accepts invalid ones from version 24 on. */
export function hasValidPunycode(host: string): boolean {
  return host.split('.').every((label) => !label.startsWith('xn--') || !['', label].includes(domainToUnicode(label)));
}
