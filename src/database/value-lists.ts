import type { RowValues, SqlExecutor, Value, Values } from './dialect';

/** Few sizes, so that few distinct statements are prepared. */
const ROWS = [64, 32, 16, 8, 4, 2, 1];

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
    const size = ROWS.find((each) => each <= rows.length - start)!;
    const tuples = Array.from({ length: size }, () => `(${marks(columns.length)})`);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')} ${suffix.sql}`;
    await statements.write(sql, [...rows.slice(start, start + size).flat(), ...(suffix.values ?? [])]);
    start += size;
  }
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}
