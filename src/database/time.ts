/**
 * The moment as the interface writes it: UTC, `YYYY-MM-DD HH:MM:SS`. Times are stored in this form, in a varchar(19):
 * the same bytes, order and prefix search on every database, and no time zone on the way.
 */
export function timestamp(date = new Date()): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
