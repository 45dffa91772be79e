import { isIP } from 'node:net';
import { isAllowed, type Subnet } from '../common/hosts';
import type { Network } from '../common/network';
import type { OutboundCall } from './outbound-request';

/** Names of this machine (RFC 6761 6.3), which are blocked without asking a name server. */
const LOCALHOST = /(^|\.)localhost\.?$/i;

/** With these, c-ares 1.34 queries a second server after 2 s, and gives up on a single silent server after 7 s, within the 10 s deadline. */
const RESOLVER_OPTIONS = { timeout: 1_000, tries: 3 };
/** How long to wait for the other address family after one has answered: some name servers ignore AAAA queries. */
const OTHER_FAMILY_MS = 1_000;

interface DnsOptions {
  network: Network;
  /** If empty, the system's name servers are used. */
  dnsServers: readonly string[];
}

/**
 * At least one address of the host, each public or in a network that the operator allows. Connect to these: a second lookup could return
 * others (DNS rebinding).
 * @throws OutboundError
 */
export async function addressesOf(
  host: string,
  { networks, ...servers }: DnsOptions & { networks: readonly Subnet[] },
  call: OutboundCall,
): Promise<string[]> {
  if (LOCALHOST.test(host)) throw call.error('blocked_address');
  const addresses = isIP(host) ? [host] : await resolveName(host, servers, call);
  if (addresses.length === 0) throw call.error('unresolved');
  if (!addresses.every((address) => isAllowed(address, networks))) throw call.error('blocked_address');
  return addresses;
}

/**
 * The addresses of a name, alternately IPv4 and IPv6; none if there is no answer. Queries the absolute name with c-ares: no search
 * domain, no hosts file. A family that fails while the other has addresses is left out.
 */
async function resolveName(name: string, { network, dnsServers }: DnsOptions, call: OutboundCall): Promise<string[]> {
  const resolver = network.resolver(RESOLVER_OPTIONS);
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const absoluteName = name.endsWith('.') ? name : `${name}.`;
  let timer: NodeJS.Timeout | undefined;
  const onAddresses = (addresses: string[]) => {
    timer ??= setTimeout(() => resolver.cancel(), OTHER_FAMILY_MS);
    return addresses;
  };
  const queries = [resolver.resolve4(absoluteName), resolver.resolve6(absoluteName)];
  try {
    const [ipv4, ipv6] = await call.untilEnd(Promise.all(queries.map((query) => query.then(onAddresses, (): string[] => []))));
    return alternate(ipv4, ipv6);
  } finally {
    clearTimeout(timer);
    resolver.cancel();
  }
}

/** Alternates families, so that an unreachable one doesn't use up all tries. */
function alternate(ipv4: string[], ipv6: string[]): string[] {
  const pairs = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, index) => [ipv4[index], ipv6[index]]);
  return pairs.flat().filter((address) => address !== undefined);
}
