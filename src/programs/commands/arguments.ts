import { Argument, InvalidArgumentError, Option } from 'commander';
import type { ScopeName } from '../../auth/route-policies';
import { Clock } from '../../platform/common/clock';
import { type FieldType, HOST, integerIn, LIFETIME, parseText, InvalidInput, text } from '../../platform/common/field-types';
import { trimInvisible } from '../../platform/common/invisible-characters';
import type { RecordColumns } from '../../platform/common/records';
import { isTime, timestamp } from '../../platform/common/time';

export interface JsonOption {
  json?: boolean;
}

export const JSON_OPTION = new Option('--json', 'print JSON');

/** Actions whose file is loaded only when one runs: it needs Nest and TypeORM, which `--help` and a refused argument don't. */
export function lazy<Actions>(load: () => Promise<Actions>) {
  return (name: Exclude<keyof Actions, 'default'>) =>
    async (...args: unknown[]): Promise<void> =>
      ((await load())[name] as (...args: unknown[]) => Promise<void>)(...args);
}

export function collectionArgument(collections: readonly RecordColumns[]): Argument {
  const names = collections.map(({ name }) => name).join(', ');
  return new Argument('<collection>', `one of ${names}`).argParser((value): RecordColumns => {
    const collection = collections.find(({ name }) => name === value);
    if (!collection) throw new InvalidArgumentError(`Allowed choices are ${names}.`);
    return collection;
  });
}

export const idArgument = argumentOf(integerIn(1, 9_999_999_999, 7));
export const countArgument = argumentOf(integerIn(1, 999_999, 7));
export const portArgument = argumentOf(integerIn(1, 65_535, 7));
export const nameArgument = argumentOf(text(128, 'default'));
export const hostArgument = argumentOf(HOST);

/** Parses an argument as a form parses a field of this type. */
export function argumentOf<T>(type: FieldType<T>) {
  return (value: string): T => {
    const parsed = parseText(type, trimInvisible(value));
    if (parsed instanceof InvalidInput) throw new InvalidArgumentError(`It ${parsed.reason}.`);
    return parsed;
  };
}

/** Comma-separated scopes; whether they exist is checked when the key is created. */
export function scopesArgument(value: string): ScopeName[] {
  return [...new Set(value.split(',').map((name) => name.trim() as ScopeName))].sort();
}

/** `90d`, `12h`, `30m` or `45s` from now. */
export function expiryArgument(value: string): Date {
  return new Date(new Clock().now() + argumentOf(LIFETIME)(value));
}

/** A time in UTC, or a date, which compares as its midnight; returned unchanged. */
export function timeArgument(value: string): string {
  if (isTime(value.length === 10 ? `${value} 00:00:00` : value)) return value;
  throw new InvalidArgumentError('It must be a date or a time in UTC, such as 2026-11-21 or "2026-11-21 14:30:00".');
}

export function pastArgument(value: string): string {
  if (timeArgument(value) > timestamp(new Clock().now())) throw new InvalidArgumentError('It must not be in the future.');
  return value;
}
