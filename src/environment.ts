import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

export const MOST_WORKERS = 256;

export interface MysqlServer {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export type DatabaseLocation = { type: 'sqlite'; file: string } | { type: 'mysql'; server: MysqlServer };

/** Reads variables, and notes what is wrong with them. */
export class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly env: Record<string, string | undefined>) {}

  text(name: string, fallback: string): string {
    return this.env[name]?.trim() || fallback;
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    return this.optionalInteger(name, least, most) ?? fallback;
  }

  optionalInteger(name: string, least: number, most: number): number | undefined {
    return this.optional(name, `an integer from ${least} to ${most}`, (text) => readInteger(text, least, most));
  }

  /** Undefined when it is not set. */
  optional<T>(name: string, accepts: string, parse: (text: string) => T | undefined): T | undefined {
    return this.text(name, '') ? this.value(name, '', accepts, parse) : undefined;
  }

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    return this.value(name, fallback, `one of ${allowed.join(', ')}`, (text) => allowed.find((word) => word === text));
  }

  /** A wrong value is noted, never repeated, for it may hold a password; what is read on with is undefined until the end refuses it. */
  value<T>(name: string, fallback: string, accepts: string, parse: (text: string) => T | undefined): T {
    const value = parse(this.text(name, fallback));
    if (value === undefined) this.problems.push(`${name} must be ${accepts}.`);
    return value as T;
  }
}

function readInteger(text: string, least: number, most: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= least && number <= most ? number : undefined;
}

export function readPublicUrl(text: string): string | undefined {
  const url = /^https?:\/\/[^\s\\]+$/.test(text) ? URL.parse(text) : null;
  if (!url || /[?#]/.test(text) || url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, '');
}

export function readDatabaseUrl(text: string): DatabaseLocation | undefined {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length);
    return file ? { type: 'sqlite', file: resolve(file) } : undefined;
  }
  const server = readMysqlServer(URL.parse(text));
  return server && { type: 'mysql', server };
}

function readMysqlServer(url: URL | null): MysqlServer | undefined {
  if (url?.protocol !== 'mysql:' || !url.hostname || !url.username || !/^\/[^/]+$/.test(url.pathname) || url.search || url.hash)
    return undefined;
  try {
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 3306), user, password, database };
  } catch {
    return undefined; // a % that is not part of an escape
  }
}

export function readWorkers(text: string): number | undefined {
  if (text === 'auto') return availableParallelism();
  return readInteger(text, 1, MOST_WORKERS);
}

export function readSecretsKeys(text: string): Buffer[] | undefined {
  const parts = splitList(text);
  return parts.every((part) => /^[A-Za-z0-9+/]{43}=$/.test(part)) ? parts.map((part) => Buffer.from(part, 'base64')) : undefined;
}

export function readOrigins(text: string): Set<string> | undefined {
  const origins = splitList(text);
  return origins.every((origin) => URL.parse(origin)?.origin === origin) ? new Set(origins) : undefined;
}

/** What the driver would make of a query is not promised here, so none is taken. */
export function readRedisUrl(text: string): string | undefined {
  const url = /^rediss?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  if (!url?.hostname || !/^(\/\d{0,5})?$/.test(url.pathname)) return undefined;
  return [url.username, url.password].every(isDecodable) ? text : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false; // a % that is not part of an escape
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
