import type { NameResolver, Network } from '../../../platform/common/network';

type QueryType = 'A' | 'AAAA' | 'CNAME' | 'TXT';

/** Deadline for all queries of a check: the waiting client gets its response within 5 s. */
const DNS_TIMEOUT_MS = 4_500;
/** Bounds of c-ares' timeout per query per server; the second try doubles it. */
const [MIN_TIMEOUT_MS, MAX_TIMEOUT_MS] = [500, 1_500];
const TRIES = 2;
/** c-ares' codes for a name without such a record (NODATA), NXDOMAIN, and a name of more than 253 characters. */
const EMPTY_ANSWER_CODES = ['ENODATA', 'ENOTFOUND', 'EBADNAME'];

/** One check's queries, each sent to the name servers in turn until one answers. */
export class DnsQueries {
  /**
   * The first resolver has all servers, the second all but the first, and so on: c-ares skips silent servers by itself, but Node makes it
   * accept SERVFAIL and REFUSED as answers (ARES_FLAG_NOCHECKRESP).
   */
  private readonly resolvers: NameResolver[];
  private readonly deadline: NodeJS.Timeout;
  private isOver = false;

  /** Starts the deadline. Servers are `address` or `address:port`; none means the system's. */
  constructor(network: Network, servers: readonly string[]) {
    const given = (servers.length > 0 ? servers : network.resolver().getServers()).filter(hasNoZone);
    const timeout = Math.floor(Math.min(Math.max(DNS_TIMEOUT_MS / (3 * given.length), MIN_TIMEOUT_MS), MAX_TIMEOUT_MS));
    this.resolvers = given.map((_, index) => {
      const resolver = network.resolver({ timeout, tries: TRIES });
      resolver.setServers(given.slice(index));
      return resolver;
    });
    this.deadline = setTimeout(() => this.end(), DNS_TIMEOUT_MS);
  }

  /** The records of a name, a TXT record as one string; undefined if every server fails or is silent. */
  async ask(name: string, type: QueryType): Promise<string[] | undefined> {
    for (const resolver of this.resolvers) {
      const answer = this.isOver ? undefined : await query(resolver, `${name}.`, type);
      if (answer) return answer;
    }
    return undefined;
  }

  /** Cancels pending queries. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.deadline);
    for (const resolver of this.resolvers) resolver.cancel();
  }
}

/** resolv.conf may have addresses with a zone, which c-ares refuses. */
function hasNoZone(server: string): boolean {
  return !server.includes('%');
}

/** Returns undefined if the server fails or is silent. */
async function query(resolver: NameResolver, name: string, type: QueryType): Promise<string[] | undefined> {
  try {
    if (type === 'TXT') return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
    if (type === 'CNAME') return await resolver.resolveCname(name);
    return await (type === 'A' ? resolver.resolve4(name) : resolver.resolve6(name));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return EMPTY_ANSWER_CODES.includes(code) ? [] : undefined;
  }
}
