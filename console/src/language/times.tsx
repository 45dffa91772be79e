import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { locale } from './language';

const DATE_TIME = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const TIME = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const DATE = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const FULL = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const NUMBER = new Intl.NumberFormat(locale);
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export const formatNumber = (value: number): string => NUMBER.format(value);

/** `YYYY-MM-DD HH:MM:SS` in UTC, as the interface writes times. */
export function parseTime(text: string): Date {
  return new Date(`${text.replace(' ', 'T')}Z`);
}

/** Where there is little room: the time of today, the day otherwise. */
export const Brief = createContext(false);

/** A time of the interface in the person's time zone; `isRelative` says how far off it is, and keeps saying so. */
export function Time({ value, isRelative = false }: { value: string; isRelative?: boolean }) {
  useTicks(isRelative);
  const isBrief = useContext(Brief);
  const date = parseTime(value);
  return (
    <time dateTime={date.toISOString()} title={FULL.format(date)}>
      {isRelative ? formatDistance(date) : isBrief ? formatBriefly(date) : DATE_TIME.format(date)}
    </time>
  );
}

function formatBriefly(date: Date): string {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  return (date.getFullYear() === now.getFullYear() ? DAY : DATE).format(date);
}

function formatDistance(date: Date): string {
  const seconds = Math.round((date.getTime() - Date.now()) / 1000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (['second', 1] as const);
  return RELATIVE.format(Math.round(seconds / size), unit);
}

function useTicks(isOn: boolean): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), 10_000);
    return () => clearInterval(timer);
  }, [isOn]);
}
