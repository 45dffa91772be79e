import type { NameResolver, Network } from '../../../platform/common/network';

type QueryType = 'A' | 'AAAA' | 'CNAME' | 'TXT';

/** Deadline for all queries of a check: the waiting client gets its response within 5 s. */
const CHECK_MS = 4_500;
/** Bounds of the timeout per query and server. A slow answer is in the server's cache by the second try. */
const [MIN_TIMEOUT_MS, MAX_TIMEOUT_MS] = [500, 1_500];
/** c-ares' codes for a name without such a record (NODATA), NXDOMAIN, and a name of more than 253 characters. */
const EMPTY_ANSWERS = ['ENODATA', 'ENOTFOUND', 'EBADNAME'];
const TIMEOUT = 'ETIMEOUT';

/** One check's queries, each sent to the name servers in turn until one answers. */
export class DnsQueries {
  private resolvers: NameResolver[];
  private readonly deadline: NodeJS.Timeout;
  private isOver = false;

  /** Starts the deadline. Servers are `address` or `address:port`; none means the system's. */
  constructor(network: Network, servers: readonly string[]) {
    const given = servers.length > 0 ? servers : network.resolver().getServers();
    const timeout = Math.min(Math.max(CHECK_MS / (2 * given.length), MIN_TIMEOUT_MS), MAX_TIMEOUT_MS);
    this.resolvers = given.flatMap((server) => createResolver(network, server, Math.floor(timeout)));
    this.deadline = setTimeout(() => this.end(), CHECK_MS);
  }

  /** The records of a name, a TXT record as one string; undefined if every server fails or is silent. */
  async ask(name: string, type: QueryType): Promise<string[] | undefined> {
    for (let asked = [...this.resolvers]; asked.length > 0;) {
      const silent: NameResolver[] = [];
      for (const resolver of asked) {
        if (this.isOver) return undefined;
        const answer = await query(resolver, `${name}.`, type);
        if (Array.isArray(answer)) return answer;
        if (answer === TIMEOUT) silent.push(this.askLast(resolver));
      }
      asked = silent; // asks these again: a packet may have been lost
    }
    return undefined;
  }

  /** Cancels pending queries. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.deadline);
    for (const resolver of this.resolvers) resolver.cancel();
  }

  /** Moves a silent server to the end, so that the check's other queries don't wait for it first. */
  private askLast(silent: NameResolver): NameResolver {
    this.resolvers = [...this.resolvers.filter((resolver) => resolver !== silent), silent];
    return silent;
  }
}

/** An empty list for an address with a zone, which resolv.conf may have and c-ares refuses. */
function createResolver(network: Network, server: string, timeout: number): NameResolver[] {
  const resolver = network.resolver({ timeout, tries: 1 });
  try {
    resolver.setServers([server]);
    return [resolver];
  } catch {
    return [];
  }
}

/** The records, or the code of an error. */
async function query(resolver: NameResolver, name: string, type: QueryType): Promise<string[] | string> {
  try {
    if (type === 'TXT') return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
    if (type === 'CNAME') return await resolver.resolveCname(name);
    return await (type === 'A' ? resolver.resolve4(name) : resolver.resolve6(name));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return EMPTY_ANSWERS.includes(code) ? [] : code;
  }
}
