import { isIP } from 'node:net';
import type { OutboundSettings } from '../../config/outbound-settings';
import { isAllowed, type Network, parseNetworks } from '../../common/hosts/address-rules';
import type { SendScope } from '../send-scope';
import { resolveName } from './name-resolver';

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
