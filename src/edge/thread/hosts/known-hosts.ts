import { isHostName } from '../../../common/host-name';
import type { HostChange } from '../../../domains/live-domains';
import type { MessageToThread } from '../../messages';
import type { HostTable } from './host-table';
import { type Finding, HostQueries, UNAVAILABLE, UNKNOWN } from './host-queries';
import { UnknownHosts } from './unknown-hosts';

/** What this thread knows of hosts: those in memory, and the database's answers about others. */
export class KnownHosts {
  private readonly unknown = new UnknownHosts();
  private readonly queries: HostQueries;

  constructor(
    private readonly table: HostTable,
    query: (hosts: string[]) => void,
  ) {
    this.queries = new HostQueries(query, (host) => this.unknown.add(host));
  }

  /** With `asksDatabase`, also about a host that isn't in memory though all should be: the last change may be on its way. */
  find(host: string, asksDatabase: boolean): Finding | Promise<Finding> {
    const { table } = this;
    const entry = table.find(host);
    if (entry !== undefined) return entry;
    if (!table.isFresh && !table.isLoading) return UNAVAILABLE;
    if (!isHostName(host) || (table.isComplete && !asksDatabase)) return UNKNOWN;
    if (table.isFresh && this.unknown.has(host)) return UNKNOWN;
    return this.queries.find(host);
  }

  receive(message: Exclude<MessageToThread, { type: 'listen' | 'stop' }>): void {
    const { table } = this;
    if (message.type === 'domains') table.add(message.domains, message.isLast);
    else if (message.type === 'found') this.queries.receive(message.domains);
    else if (message.type === 'synced') table.noteSync();
    else if (message.type === 'changes') this.apply(message.changes);
    else this.reset();
  }

  private apply(changes: readonly HostChange[]): void {
    this.table.apply(changes);
    for (const { host } of changes) {
      this.unknown.delete(host);
      this.queries.outdate(host);
    }
  }

  private reset(): void {
    this.table.reset();
    this.unknown.clear();
    this.queries.outdate();
  }
}
