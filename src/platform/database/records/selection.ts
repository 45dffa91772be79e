import type { SqlFragment, Value } from '../dialect';

/**
 * How a column is compared with a filter's value. `refers to` is `equals` for a column with its own index, in which few of an account's
 * records have the same value. `changed since` compares `datetime` if the column is null.
 */
export type Match = 'equals' | 'refers to' | 'contains' | 'begins with' | 'from' | 'until' | 'changed since';

export type Direction = 'asc' | 'desc';

export interface Filter {
  column: string;
  /** Another table that `column` is read from, whose changes also affect the filter's total. */
  table?: string;
  match: Match;
  value: Value;
  /** For `contains`: a second text; a record matches if it contains either. */
  alternative?: string;
}

/** The records of a list and their order. Columns come from definitions; a caller's input is only ever a value. */
export interface Selection {
  readonly filters: readonly Filter[];
  /** The id breaks ties. Null sorts before any value. */
  readonly orderby: string;
  readonly direction: Direction;
}

const FILTER_CONDITIONS: Record<Match, (column: string, value: Value, alternative?: string) => SqlFragment> = {
  equals: (column, value) => ({ sql: `${column} = ?`, values: [value] }),
  'refers to': (column, value) => ({ sql: `${column} = ?`, values: [value] }),
  // INSTR has no wildcards, so `%` and `_` need no escape.
  contains: (column, value, alternative) =>
    alternative === undefined
      ? { sql: `INSTR(${column}, ?) > 0`, values: [value] }
      : { sql: `(INSTR(${column}, ?) > 0 OR INSTR(${column}, ?) > 0)`, values: [value, alternative] },
  // Every character of a time sorts before `~`.
  'begins with': (column, value) => ({ sql: `${column} >= ? AND ${column} < ?`, values: [value, `${String(value)}~`] }),
  from: (column, value) => ({ sql: `${column} >= ?`, values: [value] }),
  until: (column, value) => ({ sql: `${column} < ?`, values: [value] }),
  'changed since': (column, value) => ({
    sql: `(${column} >= ? OR (${column} IS NULL AND datetime >= ?))`,
    values: [value, value],
  }),
};

/** Conditions to append to a WHERE clause, each with a leading AND; empty without filters. */
export function conditionsOf(filters: readonly Filter[]): SqlFragment {
  const conditions = filters.map(({ column, match, value, alternative }) => FILTER_CONDITIONS[match](column, value, alternative));
  return { sql: conditions.map(({ sql }) => ` AND ${sql}`).join(''), values: conditions.flatMap(({ values }) => values) };
}

/**
 * The account column, for a WHERE clause. With `refers to`, a unary plus keeps SQLite, which has no statistics, from reading all of the
 * account's records through the account index (a million deliveries: 360 ms instead of 1); MySQL ignores it.
 */
export function accountColumn(filters: readonly Filter[]): string {
  return filters.some(({ match }) => match === 'refers to') ? '+account_id' : 'account_id';
}

export function orderOf(column: string, id: string, direction: Direction): string {
  const columns = column === id ? [id] : [column, id];
  return `ORDER BY ${columns.map((name) => `${name} ${direction}`).join(', ')}`;
}
