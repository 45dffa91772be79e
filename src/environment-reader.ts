/** Reads the variables of an environment, and notes which of them are wrong. */
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

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    return this.value(name, fallback, `one of ${allowed.join(', ')}`, (text) => allowed.find((word) => word === text));
  }

  /** Undefined when it is not set. */
  optional<T>(name: string, accepts: string, parse: (text: string) => T | undefined): T | undefined {
    return this.text(name, '') ? this.value(name, '', accepts, parse) : undefined;
  }

  /** A wrong value is noted, never repeated, for it may hold a password; what is read on with is undefined until the end refuses it. */
  value<T>(name: string, fallback: string, accepts: string, parse: (text: string) => T | undefined): T {
    const value = parse(this.text(name, fallback));
    if (value === undefined) this.problems.push(`${name} must be ${accepts}.`);
    return value as T;
  }
}

export function readInteger(text: string, least: number, most: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= least && number <= most ? number : undefined;
}
