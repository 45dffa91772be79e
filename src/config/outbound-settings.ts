/** Where the service may connect on behalf of callers. */
export interface OutboundSettings {
  /** Networks in CIDR notation that are allowed besides public ones. */
  allow: readonly string[];
  /** `address` or `address:port`; empty: the system's. */
  dnsServers: readonly string[];
}

export function readOutboundSettings(): OutboundSettings {
  return { allow: [], dnsServers: [] };
}
