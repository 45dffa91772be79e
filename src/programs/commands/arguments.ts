import { Argument, InvalidArgumentError } from 'commander';
import { LIFETIME } from '../../auth/accounts/api-key.dto';
import type { ScopeName } from '../../auth/route-policies';
import { Clock } from '../../platform/common/clock';
import { type FieldType, parseText, Refused, text } from '../../platform/common/field-types';
import { trimInvisible } from '../../platform/common/invisible-characters';
import type { RecordColumns } from '../../platform/common/records';
import { isTime, timestamp } from '../../platform/common/time';
import { parseInteger } from '../../platform/config/environment';
import { HOST } from '../../domains/domain.dto';

/** The collection to import or export. */
export function collectionArgument(collections: readonly RecordColumns[]): Argument {
  const names = collections.map(({ name }) => name).join(', ');
  return new Argument('<collection>', `one of ${names}`).argParser((value): RecordColumns => {
    const collection = collections.find(({ name }) => name === value);
    if (!collection) throw new InvalidArgumentError(`Allowed choices are ${names}.`);
    return collection;
  });
}

export const idArgument = integerArgument(1, 9_999_999_999);
export const countArgument = integerArgument(1, 999_999);
export const portArgument = integerArgument(1, 65_535);
export const nameArgument = argumentOf(text(128, 'default'));
export const hostArgument = argumentOf(HOST);

function integerArgument(min: number, max: number) {
  return (value: string): number => {
    const parsed = parseInteger(value, min, max);
    if (parsed === undefined) throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}, in digits.`);
    return parsed;
  };
}

function argumentOf(type: FieldType<string>) {
  return (value: string): string => {
    const parsed = parseText(type, trimInvisible(value));
    if (parsed instanceof Refused) throw new InvalidArgumentError(`It ${parsed.reason}.`);
    return parsed;
  };
}

/** Comma-separated scopes; whether they exist is checked when the key is created. */
export function scopesArgument(value: string): ScopeName[] {
  return [...new Set(value.split(',').map((name) => name.trim() as ScopeName))].sort();
}

/** `90d`, `12h`, `30m` or `45s` from now. */
export function expiryArgument(value: string): Date {
  const milliseconds = LIFETIME.parse(value);
  if (milliseconds !== undefined) return new Date(new Clock().now() + milliseconds);
  throw new InvalidArgumentError(`It must be ${LIFETIME.expected}.`);
}

/** A time in UTC, or a date, which compares as its midnight. Returned as given. */
export function timeArgument(value: string): string {
  if (isTime(value.length === 10 ? `${value} 00:00:00` : value)) return value;
  throw new InvalidArgumentError('It must be a date or a time in UTC, such as 2026-11-21 or "2026-11-21 14:30:00".');
}

export function pastArgument(value: string): string {
  if (timeArgument(value) > timestamp(new Clock().now())) throw new InvalidArgumentError('It must not be in the future.');
  return value;
}
