import { isIP, isIPv4, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { IPv4, IPv6 } from 'ipaddr.js';
import type { Parser } from '../common/field-types';
import { percentDecode, parseInteger, PERCENT_ENCODE, splitList } from './environment';

const MAX_WORKERS = 256;

export const WORKERS: Parser<number> = {
  expected: `auto, or an integer from 1 to ${MAX_WORKERS}`,
  parse: (text) => (text === 'auto' ? availableParallelism() : parseInteger(text, 1, MAX_WORKERS)),
};

export const PUBLIC_URL: Parser<string> = {
  expected: 'an http(s) URL',
  parse(text) {
    const url = /^https?:\/\/[^\s\\]+$/.test(text) ? URL.parse(text) : null;
    if (!url || /[?#]/.test(text) || url.username || url.password) return undefined;
    return url.href.replace(/\/+$/, '');
  },
};

/** Rejects a URL with a query, from which ioredis would read options. */
export const REDIS_URL: Parser<string> = {
  expected: `redis://user:password@host:port/number, or rediss:// for TLS; ${PERCENT_ENCODE}`,
  parse(text) {
    const url = /^rediss?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
    if (!url?.hostname || !/^(\/\d{0,5})?$/.test(url.pathname)) return undefined;
    return [url.username, url.password].every((part) => percentDecode(part) !== undefined) ? text : undefined;
  },
};

export const SECRETS_KEY_LIST: Parser<readonly Buffer[]> = {
  expected: '32 bytes in base64, or several such keys, comma-separated',
  parse(text) {
    const keys = splitList(text);
    return keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key)) ? keys.map((key) => Buffer.from(key, 'base64')) : undefined;
  },
};

export const ORIGIN_LIST = listOf('comma-separated origins, such as https://app.example.com', (item) => URL.parse(item)?.origin === item);

export const EXTENSION_LIST = listOf('comma-separated names of packages, or folders such as ./coupons/dist', (name) => !/\s/.test(name));

/** Accepts single labels and underscores, because container names have them. */
export const HOST_LIST = listOf(
  'comma-separated host names or IP addresses, without ports',
  (host) => isIP(host) !== 0 || /^\w(?:[\w.-]*\w)?\.?$/.test(host),
);

export const NETWORK_LIST = listOf(
  'comma-separated networks whose bits after the prefix are 0, such as 10.1.0.0/16,fd00::/8,127.0.0.1/32',
  (text) => {
    const [address, prefix] = text.split('/');
    const family = isIPv4(address) ? IPv4 : IPv6;
    if (!isIP(address) || address.includes('%') || !/^\d{1,3}$/.test(prefix) || !family.isValidCIDR(text)) return false;
    return family.networkAddressFromCIDR(text).toString() === family.parse(address).toString();
  },
);

export const NAME_SERVER_LIST = listOf(
  'comma-separated addresses, with or without a port, such as 10.0.0.2,10.0.0.3:5353,[fd00::2]:53',
  (text) => {
    if (isIP(text)) return true;
    const [, ipv6, ipv4, port] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
    const hasAddress = ipv6 ? isIPv6(ipv6) : isIPv4(ipv4 ?? '');
    return hasAddress && (port === undefined || parseInteger(port, 1, 65_535) !== undefined);
  },
);

function listOf(expected: string, isValid: (item: string) => boolean): Parser<readonly string[]> {
  return {
    expected,
    parse(text) {
      const items = splitList(text);
      return items.every(isValid) ? items : undefined;
    },
  };
}

/** Where custom domains should point: a host name, or addresses. */
export type EdgeTarget = { name: string } | { addresses: readonly string[] };

/** Rejects a number as the last label, which is probably a mistyped IP address. */
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const EDGE_TARGET: Parser<EdgeTarget> = {
  expected: 'a host name, such as edge.example.com, or comma-separated IP addresses',
  parse(text) {
    const items = splitList(text);
    if (items.length > 0 && items.every((item) => isIP(item) && !item.includes('%'))) return { addresses: [...new Set(items)] };
    const name = text.toLowerCase().replace(/\.$/, '');
    return HOST_NAME.test(name) && !isIP(name) ? { name } : undefined;
  },
};

const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 2_592_000;

/** Given in seconds, parsed to milliseconds. */
export const DELIVERY_WAITS: Parser<readonly number[]> = {
  expected: `1 to ${MAX_WAITS} whole numbers of seconds from 0 to ${MAX_WAIT_SECONDS}, comma-separated`,
  parse(text) {
    const seconds = text.split(',').map((item) => parseInteger(item.trim(), 0, MAX_WAIT_SECONDS));
    const waits = seconds.filter((wait) => wait !== undefined);
    return waits.length === seconds.length && waits.length <= MAX_WAITS ? waits.map((wait) => wait * 1_000) : undefined;
  },
};

/** The handler types, repeated here because configuration imports no area. A test compares the two lists. */
export const LIMITED_TYPES = ['email', 'webhook', 'slack', 'discord', 'telegram', 'microsoft_teams', 'twilio', 'twilio_call', 'whatsapp'];

const MAX_DAILY_LIMIT = 1_000_000_000;

export const DAILY_LIMITS: Parser<ReadonlyMap<string, number>> = {
  expected: `<type>=<number> from 0 to ${MAX_DAILY_LIMIT}, comma-separated, each type once; types: ${LIMITED_TYPES.join(', ')}`,
  parse(text) {
    const limits = new Map<string, number>();
    for (const item of text.split(',')) {
      const [, type, digits] = /^(\w+)=(\d+)$/.exec(item.trim()) ?? [];
      const limit = parseInteger(digits ?? '', 0, MAX_DAILY_LIMIT);
      if (limit === undefined || !LIMITED_TYPES.includes(type) || limits.has(type)) return undefined;
      limits.set(type, limit);
    }
    return limits;
  },
};
