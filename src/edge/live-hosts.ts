import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { isHostName, withoutDot } from '../platform/common/hosts';
import { HOUR_MS } from '../platform/common/time';
import type { HostChange, LiveDomain } from '../domains/domain-changes';

/** How long loaded hosts are used without synchronizing with the database. */
export const MAX_AGE_MS = HOUR_MS;
/** How long hosts are reported as unknown without synchronizing; later, a proxy could be denied a site that has just become live. */
export const MAX_NEGATIVE_AGE_MS = 10_000;

export const UNKNOWN = Symbol('unknown');
export const UNAVAILABLE = Symbol('unavailable');

export type HostLookup = HostEntry | typeof UNKNOWN | typeof UNAVAILABLE;

/**
 * Where a host redirects: the index and the not-found location, separated by a line feed, or a single location for both. Each may be empty.
 * One string takes half the memory of an object.
 */
type HostEntry = string;

const SEPARATOR = '\n'; // no URL has a line feed
const PROTOCOLS = ['https:', 'http:'];

/** The live hosts, in memory. */
@Injectable()
export class LiveHosts {
  private hosts = new Map<string, HostEntry>();
  /** Hosts read so far by the load in progress. */
  private loading?: Map<string, HostEntry>;
  private isComplete = false;
  private lastSync: number;

  constructor(private readonly clock: Clock) {
    this.lastSync = clock.monotonic();
  }

  get size(): number {
    return this.hosts.size;
  }

  /** Milliseconds since the hosts last matched the database, or since the start. */
  get age(): number {
    return this.clock.monotonic() - this.lastSync;
  }

  find(host: string): HostLookup {
    const { age } = this;
    if (!this.isComplete || age >= MAX_AGE_MS) return UNAVAILABLE;
    const entry = this.hosts.get(host);
    if (entry !== undefined) return entry;
    return age >= MAX_NEGATIVE_AGE_MS && isHostName(host) ? UNAVAILABLE : UNKNOWN;
  }

  /** Prepares for a new load. Until it completes, the old hosts are used, unless they are too old. */
  reset(): void {
    this.isComplete &&= this.age < MAX_AGE_MS;
    this.loading = new Map();
  }

  /** Adds a batch of the load in progress; the last batch completes it. */
  add(domains: readonly LiveDomain[], isLast: boolean): void {
    const { loading: next = new Map<string, HostEntry>() } = this;
    for (const domain of domains) next.set(flatCopy(domain.host), toEntry(domain));
    if (!isLast) return;
    this.hosts = next;
    this.loading = undefined;
    this.isComplete = true;
  }

  apply(changes: readonly HostChange[]): void {
    for (const hosts of [this.hosts, this.loading]) {
      for (const { host, domain } of changes) {
        if (domain) hosts?.set(flatCopy(host), toEntry(domain));
        else hosts?.delete(host);
      }
    }
  }

  /** Call when the hosts match the database, apart from those not loaded yet. */
  noteSync(): void {
    this.lastSync = this.clock.monotonic();
  }
}

export function toEntry({ host, indexUrl, notFoundUrl }: LiveDomain): HostEntry {
  const index = toLocation(indexUrl, host);
  const notFound = toLocation(notFoundUrl, host);
  return flatCopy(index === notFound ? index : index + SEPARATOR + notFound);
}

/** Empty when there is no redirect. */
export function locationIn(entry: HostEntry, isIndex: boolean): string {
  const end = entry.indexOf(SEPARATOR);
  if (end < 0) return entry;
  return isIndex ? entry.slice(0, end) : entry.slice(end + 1);
}

/** Empty if the URL is empty, invalid, or on the same host, which would be a redirect loop. */
function toLocation(stored: string, host: string): string {
  const url = stored === '' ? null : URL.parse(stored);
  if (!url || !PROTOCOLS.includes(url.protocol) || withoutDot(url.hostname) === host) return '';
  return url.href;
}

/** Copies an ASCII string: V8 keeps the strings alive that a slice or concatenation was made from. */
function flatCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
