import { promises as dns } from 'node:dns';

/** With these, c-ares 1.34 gives up a silent server after 7 s, and asks the next after 2 s: in time for a deadline of 10 s. */
const TRIES = { timeout: 1_000, tries: 3 };
/** How long one family waits for the other, so that a name server that ignores AAAA doesn't cost the delivery. */
const OTHER_FAMILY_MS = 1_000;

/**
 * The addresses of a name, IPv4 and IPv6 in turn; none if there is no answer. Asked as an absolute name and by c-ares: no search
 * domain, no hosts file. A family that fails while the other has addresses is left out: only what was seen is connected to.
 */
export async function resolveName(name: string, servers: readonly string[], signal: AbortSignal): Promise<string[]> {
  const resolver = new dns.Resolver(TRIES);
  if (servers.length > 0) resolver.setServers(servers);
  const absolute = name.endsWith('.') ? name : `${name}.`;
  const cancel = () => resolver.cancel();
  let patience: NodeJS.Timeout | undefined;
  const found = (addresses: string[]) => {
    patience ??= setTimeout(cancel, OTHER_FAMILY_MS);
    return addresses;
  };
  signal.addEventListener('abort', cancel);
  try {
    const queries = [resolver.resolve4(absolute), resolver.resolve6(absolute)];
    const [ipv4, ipv6] = await Promise.all(queries.map((query) => query.then(found, (): string[] => [])));
    return alternate(ipv4, ipv6);
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', cancel);
  }
}

/** So that a family that the machine can't reach doesn't use up all tries. */
function alternate(ipv4: string[], ipv6: string[]): string[] {
  const pairs = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, index) => [ipv4[index], ipv6[index]]);
  return pairs.flat().filter((address) => address !== undefined);
}
