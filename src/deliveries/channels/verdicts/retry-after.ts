const MAX_MS = 3_600_000;
const TIME = String.raw`(\d{2}:\d{2}:\d{2})`;

/** The three formats of an HTTP date, all of which a recipient must accept: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const IMF_FIXDATE = new RegExp(String.raw`^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) ${TIME} GMT$`);
const RFC_850 = new RegExp(String.raw`^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) ${TIME} GMT$`);
const ASCTIME = new RegExp(String.raw`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) ${TIME} (\d{4})$`);

/**
 * The wait a receiver asks for, in milliseconds, at most an hour: the longer of its `Retry-After` header and the seconds in its
 * body. Undefined if there is neither, or if they are invalid or in the past.
 */
export function retryAfterMs(header: string | undefined, seconds: unknown, now: number): number | undefined {
  const wait = Math.max(ofHeader(header?.trim() ?? '', now), ofSeconds(seconds));
  return wait > 0 ? Math.min(wait, MAX_MS) : undefined;
}

/** `Retry-After` is whole seconds or a date: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function ofHeader(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  return (parseHttpDate(value) ?? now) - now;
}

function ofSeconds(seconds: unknown): number {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.ceil(seconds * 1_000) : 0;
}

function parseHttpDate(value: string): number | undefined {
  const [, day, month, year, time] = IMF_FIXDATE.exec(value) ?? RFC_850.exec(value) ?? inDateOrder(ASCTIME.exec(value)) ?? [];
  const parsed = Date.parse(`${day} ${month} ${year} ${time} GMT`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function inDateOrder(match: RegExpExecArray | null): string[] | undefined {
  return match ? [match[0], match[2], match[1], match[4], match[3]] : undefined;
}
