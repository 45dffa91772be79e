import { DAY_MS, timestamp } from 'frontdesk';

/** Days that calendars show, before and after today. */
const DAYS_BACK = 90;
const DAYS_AHEAD = 400;
/** How long feeds list a cancelled appointment, so that clients that rarely refresh remove it, too. */
export const CANCELLED_DAYS = 30;

/** The days that calendars show, as `YYYY-MM-DD`, `end` excluded. Compared with wall times, whose zones differ by at most a day. */
export function feedDays(now: number): [first: string, end: string] {
  return [now - DAYS_BACK * DAY_MS, now + (DAYS_AHEAD + 1) * DAY_MS].map((time) => timestamp(time).slice(0, 10)) as [string, string];
}
