import { DAY_MS, timestamp } from 'frontdesk';

/** Days that calendars show, before and after today. */
const DAYS_BACK = 90;
const DAYS_AHEAD = 400;
/** How long calendars say that an appointment is cancelled, so that those which ask rarely remove it, too. */
export const CANCELLED_DAYS = 30;

/** Days as `YYYY-MM-DD`: from the first to before the last, of wall times, whose zones differ by a day at most. */
export function feedDays(now: number): [first: string, end: string] {
  return [now - DAYS_BACK * DAY_MS, now + (DAYS_AHEAD + 1) * DAY_MS].map((time) => timestamp(time).slice(0, 10)) as [string, string];
}
