import type { SqlFragment, Value, Values } from './dialect';

/** Possible numbers of rows per statement: only a few, so that few distinct statements are prepared. */
const ROWS_PER_STATEMENT = [64, 32, 16, 8, 4, 2, 1];

/** `(?, …)` for at least one value. Pads with the last value to a power of four, so that few distinct statements are prepared. */
export function inList(given: Values): { sql: string; values: Value[] } {
  const length = 4 ** Math.ceil(Math.log2(given.length) / 2);
  const values = Array.from({ length }, (_, index) => given[Math.min(index, given.length - 1)]);
  return { sql: `(${values.map(() => '?').join(', ')})`, values };
}

/** A value, or an SQL expression that yields it. */
export type InsertedValue = Value | SqlFragment;

/** Inserts rows, many per statement; `suffix` is appended to each statement. */
export async function insertRows(
  statements: { write(sql: string, values: Values): Promise<unknown> },
  table: string,
  columns: readonly string[],
  rows: readonly (readonly InsertedValue[])[],
  suffix: { sql: string; values?: Values } = { sql: '' },
): Promise<void> {
  for (let start = 0; start < rows.length;) {
    const size = ROWS_PER_STATEMENT.find((each) => each <= rows.length - start)!;
    const inserted = rows.slice(start, start + size);
    const tuples = inserted.map((row) => `(${row.map((value) => (isExpression(value) ? value.sql : '?')).join(', ')})`);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')} ${suffix.sql}`;
    const values = inserted.flat().flatMap((value) => (isExpression(value) ? value.values : [value]));
    await statements.write(sql, [...values, ...(suffix.values ?? [])]);
    start += size;
  }
}

function isExpression(value: InsertedValue): value is SqlFragment {
  return typeof value === 'object' && value !== null;
}
