import { isIP, isIPv4 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { IPv4, type IPv6, parse, parseCIDR } from 'ipaddr.js';

type Address = IPv4 | IPv6;
export type Subnet = [Address, number];

/** IPv4-mapped (RFC 4291 2.5.5.2) and NAT64 (RFC 6052): the last four bytes are an IPv4 address. */
const IPV4_IN_IPV6_NETWORKS = parseNetworks(['::ffff:0:0/96', '64:ff9b::/96']);

/** Not public unicast according to IANA's special-purpose registries; also Azure's host, 168.63.129.16. ipaddr.js' range() lacks some. */
const NON_PUBLIC_NETWORKS = parseNetworks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '168.63.129.16/32',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '2620:4f:8000::/48',
]);

/** The only IPv6 addresses assigned as global unicast. */
const GLOBAL_IPV6_NETWORKS = parseNetworks(['2000::/3']);

const LOOPBACK_NETWORKS = parseNetworks(['127.0.0.0/8', '::1/128']);

/** @throws Error if a network is not in CIDR notation */
export function parseNetworks(networks: readonly string[]): Subnet[] {
  return networks.map((network) => parseCIDR(network));
}

/** Whether an address is public unicast, or in an allowed network. */
export function isAllowed(text: string, networks: readonly Subnet[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && (isIn(networks, address) || isPublic(address));
}

/** The canonical text of an address; any other text is returned unchanged. */
export function canonicalAddress(text: string): string {
  return parseAddress(text)?.toString() ?? text;
}

export function isLoopback(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isIn(LOOPBACK_NETWORKS, address);
}

/** Undefined if the text is not an address, or has a zone and so is link-local. */
function parseAddress(text: string): Address | undefined {
  if (!isIP(text) || text.includes('%')) return undefined;
  const address = isIPv4(text) ? parse(text) : parse(toHexadecimal(text));
  return isIn(IPV4_IN_IPV6_NETWORKS, address) ? new IPv4(address.toByteArray().slice(-4)) : address;
}

/** Converts with the URL parser, because ipaddr.js mistakes an IPv4-compatible `::192.0.2.1`, as c-ares writes it, for IPv4-mapped. */
function toHexadecimal(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
}

function isPublic(address: Address): boolean {
  return !isIn(NON_PUBLIC_NETWORKS, address) && (address.kind() === 'ipv4' || isIn(GLOBAL_IPV6_NETWORKS, address));
}

function isIn(networks: readonly Subnet[], address: Address): boolean {
  return networks.some((network) => network[0].kind() === address.kind() && address.match(network));
}

/** Excludes a trailing dot. RFC 1035, 2.3.4, allows 255 bytes, two of which are the first label's length byte and the root label. */
export const MAX_HOST_LENGTH = 253;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether the text is a lower-case host name of two labels or more, without a trailing dot, and not an IP address. */
export function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_LENGTH && HOST_NAME.test(text) && isIP(text) === 0;
}

export function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Whether all `xn--` labels of a host decode. Node's URL parser accepts invalid ones from version 24 on. */
export function hasValidPunycode(host: string): boolean {
  return host.split('.').every((label) => !label.startsWith('xn--') || !['', label].includes(domainToUnicode(label)));
}
