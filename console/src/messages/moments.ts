import { locale } from '../language/language';

const MOMENT = new Intl.DateTimeFormat(locale, {
  ...{ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
});

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Parses the value of a `datetime-local` field, in the browser's time zone. Undefined while it is incomplete. */
export function momentOf(local: string): Date | undefined {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date;
}

/** Formats a time for a `datetime-local` field, to the minute. */
export function toLocal(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** RFC 3339, in UTC. */
export function toRfc3339(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}

export function formatMoment(date: Date): string {
  return MOMENT.format(date);
}
