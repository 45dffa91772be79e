import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export const MAX_WORKERS = 256;

/** What is wrong with a value, in words that follow the variable's name; they never repeat it. */
export class WrongValue extends Error {}

/** Reads variables, and notes what is wrong with them. */
export class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly env: Record<string, string | undefined>) {}

  text(name: string, fallback: string): string {
    return this.env[name]?.trim() || fallback;
  }

  integer(name: string, fallback: number, least: number, max: number): number {
    return this.optionalInteger(name, least, max) ?? fallback;
  }

  optionalInteger(name: string, least: number, max: number): number | undefined {
    return this.optional(name, `an integer from ${least} to ${max}`, (text) => readInteger(text, least, max));
  }

  /** Undefined when it is not set. */
  optional<T>(name: string, accepts: string, parse: (text: string) => T | undefined): T | undefined {
    return this.text(name, '') ? this.value(name, '', accepts, parse) : undefined;
  }

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    return this.value(name, fallback, `one of ${allowed.join(', ')}`, (text) => allowed.find((word) => word === text));
  }

  value<T>(name: string, fallback: string, accepts: string, parse: (text: string) => T | undefined): T {
    return this.parsed(name, this.text(name, fallback), accepts, parse);
  }

  /** The same, for a value that may stand in a file, named by <name>_FILE, as Docker and Kubernetes provide secrets. */
  secret<T>(name: string, fallback: string, accepts: string, parse: (text: string) => T | undefined): T {
    const variable = `${name}_FILE`;
    const file = this.text(variable, '');
    if (!file) return this.value(name, fallback, accepts, parse);
    if (this.text(name, '')) this.problems.push(`${name} and ${variable} are both set: set one of them.`);
    const text = this.readFile(variable, file);
    return text ? this.parsed(`${name}, read from ${variable},`, text, accepts, parse) : (undefined as T);
  }

  private readFile(variable: string, file: string): string | undefined {
    try {
      const text = readFileSync(file, 'utf8').trim();
      if (!text) this.problems.push(`${variable} names an empty file.`);
      return text;
    } catch (error) {
      this.problems.push(`${variable} names a file that can't be read (${(error as NodeJS.ErrnoException).code}).`);
      return undefined;
    }
  }

  /** A wrong value is noted, never repeated, for it may hold a password; what is read on with is undefined until the end refuses it. */
  private parsed<T>(name: string, text: string, accepts: string, parse: (text: string) => T | undefined): T {
    try {
      const value = parse(text);
      if (value === undefined) this.problems.push(`${name} must be ${accepts}.`);
      return value as T;
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      this.problems.push(`${name} ${error.message}`);
      return undefined as T;
    }
  }
}

function readInteger(text: string, least: number, max: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= least && number <= max ? number : undefined;
}

export function readPublicUrl(text: string): string | undefined {
  const url = /^https?:\/\/[^\s\\]+$/.test(text) ? URL.parse(text) : null;
  if (!url || /[?#]/.test(text) || url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, '');
}

export function readWorkers(text: string): number | undefined {
  if (text === 'auto') return availableParallelism();
  return readInteger(text, 1, MAX_WORKERS);
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
