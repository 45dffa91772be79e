import { isIP } from 'node:net';
import { promises as dns } from 'node:dns';
import { isAllowed, type Network, parseNetworks } from '../common/address-rules';
import type { OutboundSettings } from '../config/outbound-settings';
import type { SendScope } from './outbound-request';

/** RFC 6761 6.3: never asked of a name server. */
const LOCALHOST = /(^|\.)localhost\.?$/i;

/** Where a caller's URL may point: public addresses, and the networks that the operator allows. */
export class AddressGuard {
  private readonly networks: Network[];
  private readonly dnsServers: readonly string[];

  constructor({ allow, dnsServers }: OutboundSettings) {
    this.networks = parseNetworks(allow);
    this.dnsServers = dnsServers;
  }

  /**
   * The addresses of a host, at least one, each of which may be connected to. Connect to these: a second look-up could give others
   * (DNS rebinding).
   * @throws OutboundError
   */
  async addressesOf(host: string, scope: SendScope): Promise<string[]> {
    if (LOCALHOST.test(host)) throw scope.error('blocked_address');
    const addresses = isIP(host) ? [host] : await scope.untilEnd(resolveName(host, this.dnsServers, scope.signal));
    if (addresses.length === 0) throw scope.error('unresolved');
    if (!addresses.every((address) => isAllowed(address, this.networks))) throw scope.error('blocked_address');
    return addresses;
  }
}

/** c-ares 1.34 then gives up on a silent server after 7 s, and asks the next after 2 s: within a deadline of 10 s. */
const TRIES = { timeout: 1_000, tries: 3 };
/** How long one address family waits for the other: some name servers ignore AAAA. */
const OTHER_FAMILY_MS = 1_000;

/**
 * The addresses of a name, IPv4 and IPv6 in turn; none if there is no answer. Queries the absolute name with c-ares: no search
 * domain, no hosts file. A family that fails while the other has addresses is left out.
 */
async function resolveName(name: string, servers: readonly string[], signal: AbortSignal): Promise<string[]> {
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
