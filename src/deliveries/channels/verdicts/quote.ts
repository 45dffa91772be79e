import { cut } from '../content/text-fit';

const MAX_LENGTH = 200;
/** Leaves room for words that are cut out. */
const MAX_READ = 1_000;
const CUT_OUT = '…';
/** URLs, mail addresses, ports, IPv6 and IPv4 addresses, and host names. */
const ADDRESS = /\/\/|@|:\d|:.*:|\blocalhost\b|\d\.\d{1,3}\.\d{1,3}\.\d|[\p{L}\p{N}-]\.\p{L}{2,}/iu;
/** Shorter parts of a secret, such as `hook`, are found as whole words, and the shortest, such as `api`, not at all. */
const MIN_CONTAINED = 8;
const MIN_PART = 4;

/** A service's words in quotation marks, on one line, without addresses and parts of the secret. Undefined if nothing is left. */
export function quote(value: unknown, secret = ''): string | undefined {
  if (typeof value !== 'string') return undefined;
  const read = value.length > MAX_READ ? value.slice(0, MAX_READ).replace(/\S*$/, '') : value;
  const parts = secret.split(/[^\p{L}\p{N}_-]+/u).filter((part) => part.length >= MIN_PART);
  const words = read.split(/[\s\p{C}]+/u).map((word) => (ADDRESS.test(word) || isSecret(word, parts) ? CUT_OUT : word));
  const text = words.join(' ').trim();
  return /[\p{L}\p{N}]/u.test(text) ? `"${cut(text, MAX_LENGTH)}"` : undefined;
}

function isSecret(word: string, parts: readonly string[]): boolean {
  const names = word.split(/[^\p{L}\p{N}_-]+/u);
  return parts.some((part) => (part.length >= MIN_CONTAINED ? word.includes(part) : names.includes(part)));
}
