import type { RowValues, SqlExecutor, Value, Values } from './dialect';

/** Few sizes, so that few distinct statements are prepared. */
const ROWS = [64, 32, 16, 8, 4, 2, 1];
/** From here on, one statement instead of several takes half the CPU time on MariaDB, and fewer round trips; on SQLite it takes longer. */
const MANY_ROWS = 9;
const MAX_ROWS = 500;

/** `(?, …)` for at least one value. Repeats the last one up to a power of four, so that few distinct statements are prepared. */
export function inList(given: Values): { sql: string; values: Value[] } {
  const length = 4 ** Math.ceil(Math.log2(given.length) / 2);
  const values = Array.from({ length }, (_, index) => given[Math.min(index, given.length - 1)]);
  return { sql: `(${marks(length)})`, values };
}

/** Inserts rows, many per statement; `suffix` is appended to each statement. */
export async function insertRows(
  statements: SqlExecutor,
  table: string,
  columns: readonly string[],
  rows: readonly RowValues[],
  suffix: { sql: string; values?: Values } = { sql: '' },
): Promise<void> {
  for (let start = 0; start < rows.length;) {
    const left = rows.length - start;
    const isLong = statements.writeLong !== undefined && left >= MANY_ROWS;
    const size = isLong ? Math.min(left, MAX_ROWS) : ROWS.find((each) => each <= left)!;
    const tuples = repeated(`(${marks(columns.length)})`, size);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples} ${suffix.sql}`;
    const values = [...rows.slice(start, start + size).flat(), ...(suffix.values ?? [])];
    await (isLong ? statements.writeLong!(sql, values) : statements.write(sql, values));
    start += size;
  }
}

function marks(count: number): string {
  return repeated('?', count);
}

function repeated(text: string, count: number): string {
  return `${text}, `.repeat(count).slice(0, -2);
}
