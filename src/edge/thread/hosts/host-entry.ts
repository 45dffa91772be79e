import { withoutDot } from '../../../common/host-name';
import type { LiveDomain } from '../../../domains/live-domains';

/**
 * Where a host leads: the index and the not-found location, with a line feed between, or one for both. Each may be empty. One string, as
 * PackedMap keeps them.
 */
export type HostEntry = string;

const SEPARATOR = '\n'; // no URL has one
const PROTOCOLS = ['https:', 'http:'];

export function entryOf({ host, indexUrl, notFoundUrl }: LiveDomain): HostEntry {
  const index = toLocation(indexUrl, host);
  const notFound = toLocation(notFoundUrl, host);
  return index === notFound ? index : index + SEPARATOR + notFound;
}

/** Empty when there is no redirect. */
export function locationIn(entry: HostEntry, isIndex: boolean): string {
  const end = entry.indexOf(SEPARATOR);
  if (end < 0) return entry;
  return isIndex ? entry.slice(0, end) : entry.slice(end + 1);
}

/** Empty, too, for a URL on the same host, which would come back here. */
function toLocation(stored: string, host: string): string {
  const url = stored === '' ? null : URL.parse(stored);
  if (!url || !PROTOCOLS.includes(url.protocol) || withoutDot(url.hostname) === host) return '';
  return url.href;
}
