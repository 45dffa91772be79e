import type { Comparison, SqlReader, Value } from '../dialect';

/** UPDATE_TIME has seconds. MariaDB sets it a moment after a commit shows, to the transaction's start. */
const SETTLED_SECONDS = 2;

/** A range, because with `=` MariaDB may read the account from its start for each page (half a million rows: 47 ms instead of 0.4). */
export function equals(column: string, value: number): Comparison {
  return { sql: `${column} >= ? AND ${column} <= ?`, values: [value, value] };
}

/** Not as a row comparison, for which neither server reads a range of the index (a million records: 280 ms instead of 0.6). */
export function isAfter([first, second]: readonly [string, string], [value, id]: readonly [Value, Value]): Comparison {
  return { sql: `(${first} > ? OR (${first} = ? AND ${second} > ?))`, values: [value, value, id] };
}

/** By bytes, which takes a sixth less time than by characters (a million records on MariaDB: 530 ms instead of 640). */
export function contains(column: string): string {
  return `INSTR(CAST(${column} AS BINARY), ?) > 0`;
}

/** MySQL caches it unless `information_schema_stats_expiry` is 0. */
export async function changeMarker(reader: SqlReader, tables: readonly string[]): Promise<string | undefined> {
  const [[times, isRecent]] = await reader.read(
    `SELECT GROUP_CONCAT(COALESCE(update_time, '-') ORDER BY table_name), COALESCE(MAX(update_time) > NOW() - INTERVAL ${SETTLED_SECONDS} SECOND, 0) FROM information_schema.tables
     WHERE table_schema = DATABASE() AND table_name IN (${tables.map(() => '?').join(', ')})`,
    tables,
  );
  return Number(isRecent) === 1 ? undefined : String(times);
}
