import type { LiveDomain } from '../../domains/live-domains';
import { entryOf, type HostEntry } from './host-entry';

export const UNKNOWN = Symbol('unknown');
export const UNAVAILABLE = Symbol('unavailable');

export type Finding = HostEntry | typeof UNKNOWN | typeof UNAVAILABLE;

const MAX_WAITING = 1_000;
/** A list of values is padded to a power of four. */
const BATCH = 64;
/** After a full batch, so that a flood of unknown hosts leaves the main thread alone. */
const PAUSE_MS = 10;
const TIMEOUT_MS = 2_000;

interface Lookup {
  host: string;
  finding: Promise<Finding>;
  settle: (finding: Finding) => void;
  /** The host has changed since the lookup began: that it was unknown then means nothing. */
  isOutdated: boolean;
}

/** Single hosts that are looked up in the database, in batches, one batch at a time. */
export class Lookups {
  private readonly pending = new Map<string, Lookup>();
  private readonly queue = new Set<Lookup>();
  private batch?: Lookup[];

  constructor(
    private readonly send: (hosts: string[]) => void,
    private readonly remember: (unknownHost: string) => void,
  ) {}

  find(host: string): Promise<Finding> | typeof UNAVAILABLE {
    const known = this.pending.get(host);
    if (known) return known.finding;
    if (this.pending.size >= MAX_WAITING) return UNAVAILABLE;
    const lookup = this.create(host);
    this.pending.set(host, lookup);
    this.queue.add(lookup);
    if (!this.batch) this.sendBatch();
    return lookup.finding;
  }

  /** The live ones of the batch; undefined when the database did not answer. */
  receive(domains: readonly LiveDomain[] | undefined): void {
    const live = new Map(domains?.map((domain) => [domain.host, domain]));
    const batch = this.batch ?? [];
    for (const lookup of batch) this.settle(lookup, domains && live.get(lookup.host), domains !== undefined);
    if (batch.length === BATCH) setTimeout(() => this.sendBatch(), PAUSE_MS);
    else this.sendBatch();
  }

  /** A change of the host, or of any: lookups that are under way may not know of it. */
  outdate(host?: string): void {
    const lookups = host === undefined ? this.pending.values() : [this.pending.get(host)];
    for (const lookup of lookups) if (lookup) lookup.isOutdated = true;
  }

  private create(host: string): Lookup {
    let settle: Lookup['settle'] = () => undefined;
    const finding = new Promise<Finding>((resolve) => (settle = resolve));
    const lookup: Lookup = { host, finding, settle, isOutdated: false };
    const timer = setTimeout(() => this.end(lookup, UNAVAILABLE), TIMEOUT_MS);
    void finding.then(() => clearTimeout(timer));
    return lookup;
  }

  private sendBatch(): void {
    const batch = [...this.queue].slice(0, BATCH);
    for (const lookup of batch) this.queue.delete(lookup);
    this.batch = batch.length > 0 ? batch : undefined;
    if (this.batch) this.send(batch.map(({ host }) => host));
  }

  private settle(lookup: Lookup, domain: LiveDomain | undefined, hasAnswer: boolean): void {
    if (this.pending.get(lookup.host) !== lookup) return; // timed out
    if (hasAnswer && !domain && !lookup.isOutdated) this.remember(lookup.host);
    this.end(lookup, domain ? entryOf(domain) : hasAnswer ? UNKNOWN : UNAVAILABLE);
  }

  private end(lookup: Lookup, finding: Finding): void {
    this.pending.delete(lookup.host);
    this.queue.delete(lookup);
    lookup.settle(finding);
  }
}
