import type { LiveDomain } from '../../../domains/live-domains';
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

interface HostQuery {
  host: string;
  finding: Promise<Finding>;
  settle: (finding: Finding) => void;
  /** The host has changed since the query began: that it was unknown then means nothing. */
  isOutdated: boolean;
}

/** Queries the database for single hosts, in batches, one batch at a time. */
export class HostQueries {
  private readonly pending = new Map<string, HostQuery>();
  private readonly queue = new Set<HostQuery>();
  private batch?: HostQuery[];

  constructor(
    private readonly send: (hosts: string[]) => void,
    private readonly remember: (unknownHost: string) => void,
  ) {}

  find(host: string): Promise<Finding> | typeof UNAVAILABLE {
    const known = this.pending.get(host);
    if (known) return known.finding;
    if (this.pending.size >= MAX_WAITING) return UNAVAILABLE;
    const query = this.create(host);
    this.pending.set(host, query);
    this.queue.add(query);
    if (!this.batch) this.sendBatch();
    return query.finding;
  }

  /** The live ones of the batch; undefined when the database did not answer. */
  receive(domains: readonly LiveDomain[] | undefined): void {
    const live = new Map(domains?.map((domain) => [domain.host, domain]));
    const batch = this.batch ?? [];
    for (const query of batch) this.settle(query, domains && live.get(query.host), domains !== undefined);
    if (batch.length === BATCH) setTimeout(() => this.sendBatch(), PAUSE_MS);
    else this.sendBatch();
  }

  /** A change of the host, or of any: queries in progress may not know of it. */
  outdate(host?: string): void {
    const queries = host === undefined ? this.pending.values() : [this.pending.get(host)];
    for (const query of queries) if (query) query.isOutdated = true;
  }

  private create(host: string): HostQuery {
    let settle: HostQuery['settle'] = () => undefined;
    const finding = new Promise<Finding>((resolve) => (settle = resolve));
    const query: HostQuery = { host, finding, settle, isOutdated: false };
    const timer = setTimeout(() => this.end(query, UNAVAILABLE), TIMEOUT_MS);
    void finding.then(() => clearTimeout(timer));
    return query;
  }

  private sendBatch(): void {
    const batch = [...this.queue].slice(0, BATCH);
    for (const query of batch) this.queue.delete(query);
    this.batch = batch.length > 0 ? batch : undefined;
    if (this.batch) this.send(batch.map(({ host }) => host));
  }

  private settle(query: HostQuery, domain: LiveDomain | undefined, hasAnswer: boolean): void {
    if (this.pending.get(query.host) !== query) return; // timed out
    if (hasAnswer && !domain && !query.isOutdated) this.remember(query.host);
    this.end(query, domain ? entryOf(domain) : hasAnswer ? UNKNOWN : UNAVAILABLE);
  }

  private end(query: HostQuery, finding: Finding): void {
    this.pending.delete(query.host);
    this.queue.delete(query);
    query.settle(finding);
  }
}
