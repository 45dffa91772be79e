import { DateTime, IANAZone } from 'luxon';
import { tzlib_get_ical_block, tzlib_get_timezones } from 'timezones-ical-library';

const ZONES = new Set(tzlib_get_timezones());

/** Whether both iCalendar's zone data and this machine know the zone of this name. */
export function isTimeZone(name: string): boolean {
  return ZONES.has(name) && IANAZone.isValidZone(name);
}

/** The VTIMEZONE of a zone. */
export function zoneBlock(timezone: string): string {
  return tzlib_get_ical_block(timezone)[0];
}

/**
 * The instant of a wall time `YYYY-MM-DD HH:MM:SS`: the first if it occurs twice; if skipped, as if the clock hadn't been put forward
 * (RFC 5545, 3.3.5).
 */
export function toInstant(wallTime: string, timezone: string): number {
  const time = DateTime.fromSQL(wallTime, { zone: timezone });
  return Math.min(...time.getPossibleOffsets().map((possible) => possible.toMillis()));
}

/** The wall time in a zone at an instant: `YYYY-MM-DD HH:MM:SS`. */
export function wallTimeAt(instant: number, timezone: string): string {
  return DateTime.fromMillis(instant, { zone: timezone }).toFormat('yyyy-MM-dd HH:mm:ss');
}

/** A wall time with its offset: `2026-11-21T14:30:00-03:00`. */
export function toRfc3339(wallTime: string, timezone: string): string {
  return DateTime.fromMillis(toInstant(wallTime, timezone), { zone: timezone }).toISO({ suppressMilliseconds: true })!;
}
