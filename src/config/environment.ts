import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';

export const MAX_WORKERS = 256;

type Parse<T> = (text: string) => T | undefined;

/** An invalid value; the message follows the variable's name and never contains the value. */
export class InvalidValue extends Error {}

/** Reads variables and collects problems. An invalid one reads as undefined, so that all get checked. */
export class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly env: Record<string, string | undefined>) {}

  text(name: string, fallback = ''): string {
    return this.env[name]?.trim() || fallback;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.optionalInteger(name, min, max) ?? fallback;
  }

  optionalInteger(name: string, min: number, max: number): number | undefined {
    return this.optional(name, `an integer from ${min} to ${max}`, (text) => parseInteger(text, min, max));
  }

  optional<T>(name: string, expected: string, parse: Parse<T>): T | undefined {
    return this.text(name) ? this.value(name, '', expected, parse) : undefined;
  }

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    return this.value(name, fallback, `one of ${allowed.join(', ')}`, (text) => allowed.find((word) => word === text));
  }

  value<T>(name: string, fallback: string, expected: string, parse: Parse<T>): T {
    return this.parse(name, this.text(name, fallback), expected, parse);
  }

  /** Whether a secret is given, as a value or in a file. */
  hasSecret(name: string): boolean {
    return [name, `${name}_FILE`].some((variable) => this.text(variable) !== '');
  }

  optionalSecret<T>(name: string, expected: string, parse: Parse<T>): T | undefined {
    return this.hasSecret(name) ? this.secret(name, '', expected, parse) : undefined;
  }

  /** A value that may instead be in the file named by <name>_FILE, as Docker and Kubernetes provide secrets. */
  secret<T>(name: string, fallback: string, expected: string, parse: Parse<T>): T {
    const variable = `${name}_FILE`;
    const file = this.text(variable);
    if (!file) return this.value(name, fallback, expected, parse);
    if (this.text(name)) this.problems.push(`${name} and ${variable} are both set: set only one.`);
    try {
      const text = readFileSync(file, 'utf8').trim();
      if (text) return this.parse(`${name}, read from ${variable},`, text, expected, parse);
      this.problems.push(`${variable} names an empty file.`);
    } catch (error) {
      this.problems.push(`${variable} names a file that can't be read (${(error as NodeJS.ErrnoException).code}).`);
    }
    return undefined as T;
  }

  private parse<T>(name: string, text: string, expected: string, parse: Parse<T>): T {
    try {
      const value = parse(text);
      if (value === undefined) this.problems.push(`${name} must be ${expected}.`);
      return value as T;
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      this.problems.push(`${name} ${error.message}`);
      return undefined as T;
    }
  }
}

export function parseInteger(text: string, min: number, max: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= min && number <= max ? number : undefined;
}

export function parsePublicUrl(text: string): string | undefined {
  const url = /^https?:\/\/[^\s\\]+$/.test(text) ? URL.parse(text) : null;
  if (!url || /[?#]/.test(text) || url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, '');
}

export function parseWorkers(text: string): number | undefined {
  return text === 'auto' ? availableParallelism() : parseInteger(text, 1, MAX_WORKERS);
}

export function parseSecretsKeys(text: string): Buffer[] | undefined {
  const keys = splitList(text);
  return keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key)) ? keys.map((key) => Buffer.from(key, 'base64')) : undefined;
}

/** Names may have one label, and underscores, as those of containers do. */
export function parseHosts(text: string): string[] | undefined {
  const hosts = splitList(text);
  return hosts.every((host) => isIP(host) || /^\w(?:[\w.-]*\w)?\.?$/.test(host)) ? hosts : undefined;
}

export function parseOrigins(text: string): Set<string> | undefined {
  const origins = splitList(text);
  return origins.every((origin) => URL.parse(origin)?.origin === origin) ? new Set(origins) : undefined;
}

/** Rejects a query: ioredis would read options from it. */
export function parseRedisUrl(text: string): string | undefined {
  const url = /^rediss?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  if (!url?.hostname || !/^(\/\d{0,5})?$/.test(url.pathname)) return undefined;
  return [url.username, url.password].every((part) => decode(part) !== undefined) ? text : undefined;
}

/** Undefined for a malformed percent escape. */
export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter(Boolean);
}
