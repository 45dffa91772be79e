import { domainToUnicode } from 'node:url';

/** Whether every `xn--` label of a host can be decoded. Node's URL parser refuses others up to version 22, and takes them from 24 on. */
export function hasValidPunycode(host: string): boolean {
  return host.split('.').every((label) => !label.startsWith('xn--') || !['', label].includes(domainToUnicode(label)));
}
