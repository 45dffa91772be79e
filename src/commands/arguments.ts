import { Argument, InvalidArgumentError } from 'commander';
import type { ScopeName } from '../auth/route-policies';
import { text } from '../common/field-types';
import type { RecordColumns } from '../common/records';
import { isTime, timestamp } from '../common/time';
import { parseInteger } from '../config/environment';
import { HOST } from '../domains/domain.dto';
import { CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS } from '../notifications/notification.columns';
import { COLLECTIONS } from '../scheduling/collections/collections';
import { schedulingColumns } from '../scheduling/collections/scheduling.columns';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_EXPIRY_MS = 36_500 * UNIT_MS.d;
const NAME = text(128, 'default');

/** The collections that can be imported and exported, including every scheduling collection. */
export const TRANSFERABLE: readonly RecordColumns[] = [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS, ...COLLECTIONS.map(schedulingColumns)];

/** The collection to import or export. */
export function collectionArgument(): Argument {
  const names = TRANSFERABLE.map(({ name }) => name).join(', ');
  return new Argument('<collection>', `one of ${names}`).argParser((value): RecordColumns => {
    const collection = TRANSFERABLE.find(({ name }) => name === value);
    if (!collection) throw new InvalidArgumentError(`Allowed choices are ${names}.`);
    return collection;
  });
}

export function idArgument(value: string): number {
  if (!/^\d{1,10}$/.test(value)) throw new InvalidArgumentError('It must be an id, in digits.');
  return Number(value);
}

export function countArgument(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InvalidArgumentError('It must be an integer from 1 to 999999.');
  return Number(value);
}

export function portArgument(value: string): number {
  const port = parseInteger(value, 1, 65_535);
  if (port === undefined) throw new InvalidArgumentError('It must be an integer from 1 to 65535.');
  return port;
}

export function nameArgument(value: string): string {
  const name = NAME.parse(value.trim());
  if (name === undefined) throw new InvalidArgumentError(`It must be ${NAME.expected}.`);
  return name;
}

export function hostArgument(value: string): string {
  const host = HOST.parse(value.trim());
  if (host === undefined) throw new InvalidArgumentError(`It must be ${HOST.expected}.`);
  return host;
}

/** Comma-separated; whether they exist is checked when the key is created. */
export function scopesArgument(value: string): ScopeName[] {
  return [...new Set(value.split(',').map((name) => name.trim() as ScopeName))].sort();
}

/** `90d`, `12h`, `30m` or `45s` from now. */
export function expiryArgument(value: string): Date {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(value) ?? [];
  const milliseconds = Number(amount) * UNIT_MS[unit];
  if (milliseconds > 0 && milliseconds <= MAX_EXPIRY_MS) return new Date(Date.now() + milliseconds);
  throw new InvalidArgumentError('It must be a number of 1 or more and a unit, s, m, h or d, such as 90d; at most 36500d.');
}

/** A time, or a date, which means midnight UTC. */
export function timeArgument(value: string): string {
  if (isTime(value.length === 10 ? `${value} 00:00:00` : value)) return value;
  throw new InvalidArgumentError('It must be a date or a time in UTC, such as 2026-11-21 or "2026-11-21 14:30:00".');
}

export function pastArgument(value: string): string {
  if (timeArgument(value) > timestamp()) throw new InvalidArgumentError('It must not be in the future.');
  return value;
}
