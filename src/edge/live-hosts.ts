import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { isHostName, withoutDot } from '../common/hosts/host-name';
import type { HostChange, LiveDomain } from '../domains/changes/live-domains';

/** How long hosts are used without news from the database. */
export const MAX_AGE_MS = 60 * 60 * 1_000;
/** How long a proxy is told so of a missing host without news: it would give up a site that has just become live. */
export const MAX_AGE_OF_NO_MS = 10_000;

export const UNKNOWN = Symbol('unknown');
export const UNAVAILABLE = Symbol('unavailable');

export type Finding = HostEntry | typeof UNKNOWN | typeof UNAVAILABLE;

/**
 * Where a host redirects: the index and the not-found location, with a line feed between, or one for both. Each may be empty. One string
 * takes half of an object's memory.
 */
export type HostEntry = string;

const SEPARATOR = '\n'; // no URL has one
const PROTOCOLS = ['https:', 'http:'];

/** The live hosts, in memory. */
@Injectable()
export class LiveHosts {
  private hosts = new Map<string, HostEntry>();
  /** Those that are being loaded. */
  private next?: Map<string, HostEntry>;
  private isComplete = false;
  private synced: number;

  constructor(private readonly clock: Clock) {
    this.synced = clock.monotonic();
  }

  get size(): number {
    return this.hosts.size;
  }

  /** Milliseconds since the hosts were those of the database, or since the start. */
  get age(): number {
    return this.clock.monotonic() - this.synced;
  }

  find(host: string, isAsk: boolean): Finding {
    const { age } = this;
    if (!this.isComplete || age >= MAX_AGE_MS) return UNAVAILABLE;
    const entry = this.hosts.get(host);
    if (entry !== undefined) return entry;
    return isAsk && age >= MAX_AGE_OF_NO_MS && isHostName(host) ? UNAVAILABLE : UNKNOWN;
  }

  /** Hosts are loaded anew. Until all are here, the old ones serve, unless they are too old. */
  reset(): void {
    this.isComplete &&= this.age < MAX_AGE_MS;
    this.next = new Map();
  }

  /** Adds some of the hosts that are being loaded. */
  add(domains: readonly LiveDomain[], isLast: boolean): void {
    const { next = new Map<string, HostEntry>() } = this;
    for (const domain of domains) next.set(flat(domain.host), entryOf(domain));
    if (!isLast) return;
    this.hosts = next;
    this.next = undefined;
    this.isComplete = true;
  }

  apply(changes: readonly HostChange[]): void {
    for (const hosts of [this.hosts, this.next]) {
      for (const { host, domain } of changes) {
        if (domain) hosts?.set(flat(host), entryOf(domain));
        else hosts?.delete(host);
      }
    }
  }

  /** The hosts are those of the database, but for what has not been loaded yet. */
  noteSync(): void {
    this.synced = this.clock.monotonic();
  }
}

export function entryOf({ host, indexUrl, notFoundUrl }: LiveDomain): HostEntry {
  const index = toLocation(indexUrl, host);
  const notFound = toLocation(notFoundUrl, host);
  return flat(index === notFound ? index : index + SEPARATOR + notFound);
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

/** An ASCII string of its own: V8 keeps the whole of what another one was cut from or joined of. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
