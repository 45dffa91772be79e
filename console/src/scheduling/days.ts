import { locale } from '../language/language';

/** `YYYY-MM-DD`, as appointments are stored: in the shop's time zone, not the user's. */
export type Day = string;

const DAY_PATTERN = /^\d{4}-\d\d-\d\d$/;
const UTC = { timeZone: 'UTC' } as const;
const LONG = new Intl.DateTimeFormat(locale, { ...UTC, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const SHORT = new Intl.DateTimeFormat(locale, { ...UTC, weekday: 'short', day: 'numeric', month: 'short' });
const RANGE = new Intl.DateTimeFormat(locale, { ...UTC, dateStyle: 'long' });
const TIME = new Intl.DateTimeFormat(locale, { ...UTC, timeStyle: 'short' });
const DATE_TIME = new Intl.DateTimeFormat(locale, { ...UTC, dateStyle: 'medium', timeStyle: 'short' });
const BRIEF = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });

export function today(): Day {
  const now = new Date();
  return toDay(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())));
}

/** The day in the URL, or today. */
export function dayOf(text: string | undefined): Day {
  return text !== undefined && DAY_PATTERN.test(text) && !Number.isNaN(Date.parse(text)) ? text : today();
}

export function addDays(day: Day, count: number): Day {
  return toDay(new Date(Date.parse(day) + count * 86_400_000));
}

/** The seven days of the day's week, which begins on the first weekday of the user's locale. */
export function weekOf(day: Day): Day[] {
  const sinceFirst = (new Date(day).getUTCDay() - firstWeekday() + 7) % 7;
  return Array.from({ length: 7 }, (_, index) => addDays(day, index - sinceFirst));
}

export const formatDay = (day: Day): string => LONG.format(new Date(day));
export const formatShortDay = (day: Day): string => SHORT.format(new Date(day));
export const formatDays = (from: Day, to: Day): string => RANGE.formatRange(new Date(from), new Date(to));

/** Formats the time of a `YYYY-MM-DD HH:MM:SS`. */
export const formatTimeOfDay = (time: string): string => TIME.format(asUtc(time));
export const formatBriefly = (time: string): string => BRIEF.format(asUtc(time));
export const formatStored = (time: string): string => DATE_TIME.format(asUtc(time));

function asUtc(time: string): Date {
  return new Date(`${time.replace(' ', 'T')}Z`);
}

function toDay(date: Date): Day {
  return date.toISOString().slice(0, 10);
}

/** 0 is Sunday. Firefox has no `getWeekInfo`: Monday there, but Sunday in Brazil and the United States. */
function firstWeekday(): number {
  const named = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  const firstDay = named.getWeekInfo?.().firstDay ?? (/-(BR|US)$/.test(locale) ? 7 : 1);
  return firstDay % 7;
}
