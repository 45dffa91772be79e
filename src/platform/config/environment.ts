import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { Parser } from '../common/field-types';

/**
 * Thrown by a variable's parser for a message more specific than `expected`. The message follows the variable's name and never
 * contains the value.
 */
export class InvalidValue extends Error {}

/** For error messages about URLs with a password, in which these characters would end the password. */
export const PERCENT_ENCODE = 'percent-encode special characters in the user and password (# is %23, / %2F, ? %3F, @ %40, % %25)';

/** Prefix of values that Kubernetes sets for Services: for a Service named `edge`, it sets `EDGE_PORT` to `tcp://…`. */
const SERVICE_ADDRESS_PREFIX = 'tcp://';

/**
 * Reads variables and collects problems. An invalid variable is read as undefined, so that the others are checked, too. Not a
 * zod or valibot schema, which would name every variable a second time, and would not cover secret files or defaults that depend on
 * other variables (bench/HISTORY.md).
 */
export abstract class Environment {
  readonly #env: Record<string, string | undefined>;
  readonly #setNames = new Set<string>();
  readonly #ignored = new Set<string>();
  readonly #problems: string[] = [];

  constructor(env: Record<string, string | undefined>) {
    this.#env = env;
  }

  /** Names of variables that Kubernetes has set for a Service, and that are therefore ignored. */
  get ignored(): ReadonlySet<string> {
    return this.#ignored;
  }

  protected get problems(): string[] {
    return this.#problems;
  }

  protected text(name: string, fallback = ''): string {
    const text = this.#env[name]?.trim();
    if (!text) return fallback;
    const isServiceAddress = text.startsWith(SERVICE_ADDRESS_PREFIX);
    (isServiceAddress ? this.#ignored : this.#setNames).add(name);
    return isServiceAddress ? fallback : text;
  }

  protected integer(name: string, fallback: number, min: number, max: number): number {
    return this.optionalInteger(name, min, max) ?? fallback;
  }

  protected optionalInteger(name: string, min: number, max: number): number | undefined {
    return this.optional(name, { expected: `an integer from ${min} to ${max}`, parse: (text) => parseInteger(text, min, max) });
  }

  protected oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    const parse = (text: string) => allowed.find((word) => word === text);
    return this.value(name, fallback, { expected: `one of ${allowed.join(', ')}`, parse });
  }

  protected isOn(name: string, fallback: 'on' | 'off' = 'on'): boolean {
    return this.oneOf(name, fallback, ['on', 'off']) === 'on';
  }

  protected optional<T>(name: string, type: Parser<T>): T | undefined {
    return this.text(name) ? this.value(name, '', type) : undefined;
  }

  protected value<T>(name: string, fallback: string, type: Parser<T>): T {
    return this.parse(name, this.text(name, fallback), type);
  }

  protected optionalSecret<T>(name: string, type: Parser<T>): T | undefined {
    return this.text(name) || this.text(`${name}_FILE`) ? this.secret(name, '', type) : undefined;
  }

  /** A value, or the content of the file that <name>_FILE names, as Docker and Kubernetes provide secrets. */
  protected secret<T>(name: string, fallback: string, type: Parser<T>): T {
    const variable = `${name}_FILE`;
    const file = this.text(variable);
    if (!file) return this.value(name, fallback, type);
    if (this.text(name)) this.problems.push(`${name} and ${variable} are both set: set only one.`);
    this.#setNames.add(name);
    try {
      const text = readText(file).trim();
      if (text) return this.parse(`${name}, read from ${variable},`, text, type);
      this.problems.push(`${variable} names an empty file.`);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      this.problems.push(`${variable} names a file that ${error.message}`);
    }
    return undefined as T;
  }

  /** Checks variables already read: the required ones must be set together, the dependent ones only with them. */
  protected requireAll(required: string[], dependent: string[] = []): void {
    const missing = required.filter((name) => !this.#setNames.has(name));
    const present = [...required, ...dependent].filter((name) => this.#setNames.has(name));
    if (missing.length > 0 && present.length > 0) this.problems.push(`${missing.join(' and ')} must be set to use ${present.join(', ')}.`);
  }

  private parse<T>(name: string, text: string, { expected, parse }: Parser<T>): T {
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

/** A file's text, without the BOM that Windows editors write. @throws InvalidValue whose message follows the file's name */
export function readText(file: string): string {
  const bytes = readBytes(file);
  // UTF-16 without a BOM is valid UTF-8, with NULs.
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new InvalidValue('is not UTF-8: save it as UTF-8 (PowerShell: Set-Content -Encoding utf8).');
  return new TextDecoder().decode(bytes);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new InvalidValue(`can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

export function parseInteger(text: string, min: number, max: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= min && number <= max ? number : undefined;
}

/** Undefined for a malformed percent escape. */
export function percentDecode(text: string): string | undefined {
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
