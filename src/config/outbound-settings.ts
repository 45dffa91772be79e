import { isIP, isIPv4, isIPv6 } from 'node:net';
import { IPv4, IPv6 } from 'ipaddr.js';
import { type EnvironmentReader, splitList } from './environment';

/** Where the service may connect on behalf of callers. */
export interface OutboundSettings {
  /** Networks in CIDR notation that are allowed besides public ones. */
  allow: readonly string[];
  /** `address` or `address:port`; empty: the system's. */
  dnsServers: readonly string[];
}

const NETWORKS = 'comma-separated networks whose bits after the prefix are 0, such as 10.1.0.0/16,fd00::/8,127.0.0.1/32';
const NAME_SERVERS = 'comma-separated addresses, with or without a port, such as 10.0.0.2,10.0.0.3:5353,[fd00::2]:53';

export function readOutboundSettings(read: EnvironmentReader): OutboundSettings {
  return {
    allow: read.value('OUTBOUND_ALLOW', '', NETWORKS, (text) => parseList(text, isNetwork)),
    dnsServers: read.value('DNS_SERVERS', '', NAME_SERVERS, (text) => parseList(text, isNameServer)),
  };
}

function parseList(text: string, isValid: (item: string) => boolean): string[] | undefined {
  const items = splitList(text);
  return items.every(isValid) ? items : undefined;
}

function isNetwork(text: string): boolean {
  const [address, prefix] = text.split('/');
  const family = isIPv4(address) ? IPv4 : IPv6;
  if (!isIP(address) || address.includes('%') || !/^\d{1,3}$/.test(prefix) || !family.isValidCIDR(text)) return false;
  return family.networkAddressFromCIDR(text).toString() === family.parse(address).toString();
}

function isNameServer(text: string): boolean {
  if (isIP(text)) return true;
  const [, ipv6, ipv4, port] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const hasAddress = ipv6 ? isIPv6(ipv6) : isIPv4(ipv4 ?? '');
  return hasAddress && (port === undefined || (Number(port) > 0 && Number(port) <= 65_535));
}
