import { InvalidArgumentError } from 'commander';
import { isTime, timestamp } from '../common/time';
import { text } from '../common/field-types';
import { SCOPES, type ScopeName } from '../auth/scopes';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NAME = text(128, 'default');
const MAX_MILLISECONDS = 36_500 * UNITS.d;

export function idArgument(value: string): number {
  if (!/^\d{1,10}$/.test(value)) throw new InvalidArgumentError('It must be an id, in digits.');
  return Number(value);
}

export function nameArgument(value: string): string {
  const name = NAME.parse(value.trim());
  if (name === undefined) throw new InvalidArgumentError(`It must be ${NAME.expected}.`);
  return name;
}

/** `90d`, `12h`, `30m` or `45s` from now. */
export function expiryArgument(value: string): Date {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(value) ?? [];
  const milliseconds = Number(amount) * UNITS[unit];
  if (!(milliseconds > 0 && milliseconds <= MAX_MILLISECONDS)) {
    throw new InvalidArgumentError('It must be a number of 1 or more and a unit, s, m, h or d, such as 90d; at most 36500d.');
  }
  return new Date(Date.now() + milliseconds);
}

export function scopesArgument(value: string): ScopeName[] {
  const names = new Set(value.split(',').map((name) => name.trim()));
  const scopes = SCOPES.filter((scope) => names.has(scope));
  if (scopes.length !== names.size) throw new InvalidArgumentError(`It must be some of ${SCOPES.join(',')}.`);
  return scopes;
}

export function countArgument(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InvalidArgumentError('It must be an integer from 1 to 999999.');
  return Number(value);
}

/** A moment, or the day that it begins. */
export function timeArgument(value: string): string {
  if (!isTime(value.length === 10 ? `${value} 00:00:00` : value)) {
    throw new InvalidArgumentError('It must be a day or a moment in UTC, such as 2026-11-21 or "2026-11-21 14:30:00".');
  }
  return value;
}

export function pastArgument(value: string): string {
  if (timeArgument(value) > timestamp()) throw new InvalidArgumentError('It must not lie in the future.');
  return value;
}
