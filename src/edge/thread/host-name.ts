import { isIP } from 'node:net';

const MAX_LENGTH = 253;
const CHARACTERS = /^[A-Za-z0-9.-]+$/; // toLowerCase turns a Kelvin sign into a k
const PORT = /:\d*$/;
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The host in a Host header: without the port, as `hostOf`. */
export function hostOfHeader(value: string): string {
  return hostOf(value.includes(':') ? value.replace(PORT, '') : value);
}

/** In lower case, without a dot at the end. Empty for what no domain can have. */
export function hostOf(name: string): string {
  return name.length <= MAX_LENGTH + 1 && CHARACTERS.test(name) ? withoutDot(name.toLowerCase()) : '';
}

/** Whether a domain may have this host; spares a query for others. */
export function isDomainName(host: string): boolean {
  return host.length <= MAX_LENGTH && NAME.test(host) && isIP(host) === 0;
}

export function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
