export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Parses `45s`, `30m`, `12h` or `90d` into milliseconds. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNITS_MS[unit];
}

/**
 * UTC as `YYYY-MM-DD HH:MM:SS`, in the API and in the database. A varchar(19) has the same bytes, order and prefix search on
 * every database, and no time zone.
 */
export function timestamp(time: Date | number): string {
  const second = Math.floor(Number(time) / SECOND_MS);
  if (second !== lastTimestamp.second) lastTimestamp = { second, text: new Date(time).toISOString().slice(0, 19).replace('T', ' ') };
  return lastTimestamp.text;
}

/** A cache: in a busy process, most calls fall in the same second as the one before. */
let lastTimestamp = { second: NaN, text: '' };

/** Whether the string is a valid `YYYY-MM-DD HH:MM:SS`. */
export function isTime(text: string): boolean {
  if (!/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year + 400, month, 0)).getUTCDate(); // UTC() reads 0 to 99 as 1900 to 1999; calendars repeat after 400 years
}
