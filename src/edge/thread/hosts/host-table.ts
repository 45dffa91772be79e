import type { HostChange, LiveDomain } from '../../../domains/live-domains';
import { entryOf, type HostEntry } from './host-entry';
import { PackedMap } from './packed-map';

/** How long the table is used without news from the database. */
export const MAX_AGE_MS = 60 * 60 * 1_000;

/** The live hosts in memory. */
export class HostTable {
  isLoading = true;
  private hosts = new PackedMap();
  /** The hosts that are being loaded; those in use until there are any. */
  private next = this.hosts;
  private synced = -Infinity;

  /** `now` in milliseconds, and never jumps. */
  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.hosts.size;
  }

  /** Whether it has every live host. */
  get isComplete(): boolean {
    return this.isFresh && (!this.isLoading || this.hosts !== this.next);
  }

  get isFresh(): boolean {
    return this.now() - this.synced < MAX_AGE_MS;
  }

  /** Undefined, too, when what there is is too old. */
  find(host: string): HostEntry | undefined {
    return this.isFresh ? this.hosts.get(host) : undefined;
  }

  /** Hosts are loaded anew. Until all are here, the old ones serve, unless they are too old. */
  reset(): void {
    const isUsable = this.isComplete;
    this.next = new PackedMap();
    if (!isUsable) this.hosts = this.next;
    this.isLoading = true;
  }

  add(domains: readonly LiveDomain[], isLast: boolean): void {
    for (const domain of domains) this.next.set(domain.host, entryOf(domain));
    if (!isLast) return;
    this.hosts = this.next;
    this.isLoading = false;
  }

  apply(changes: readonly HostChange[]): void {
    for (const table of new Set([this.hosts, this.next])) {
      for (const { host, domain } of changes) {
        if (domain) table.set(host, entryOf(domain));
        else table.delete(host);
      }
    }
  }

  noteSync(): void {
    this.synced = this.now();
  }
}
