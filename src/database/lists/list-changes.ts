import type { Dialect, SqlExecutor, Value, Values } from '../dialect';
import type { Condition } from './selection';

/** Numbers of records, each 0 by default. `uncounted` is 1 for a change of an unknown number of records. */
export interface Changes {
  readonly inserted?: number;
  readonly deleted?: number;
  readonly updated?: number;
  readonly uncounted?: number;
}

/** An account's records of one table. */
export interface AccountList {
  readonly accountId: number;
  readonly table: string;
}

/** Also names the tables whose changes may show in the records, the list's own among them; by default that alone. */
export interface ListSource extends AccountList {
  readonly tables?: readonly string[];
}

/** Account of changes whose account isn't known. */
export const ANY_ACCOUNT = 0;
const COLUMNS = ['inserted', 'deleted', 'updated', 'uncounted'] as const;
const KEY = 'account_id, list, shard';
const SUMS = COLUMNS.map((column) => `COALESCE(SUM(${column}), 0)`).join(`, ' ', `);

/**
 * Counts changes in the transaction that makes them. To be called near its end: the rows are locked until the commit. A write to a listed
 * table that isn't counted shows in what is remembered only after minutes, on SQLite.
 */
export async function countChanges(
  dialect: Dialect,
  statements: SqlExecutor,
  accountId: number,
  byTable: Readonly<Record<string, Changes>>,
): Promise<void> {
  await statements.write(
    ...countStatement(
      dialect,
      Object.entries(byTable).map(([table, changes]) => ({ accountId, table, changes })),
    ),
  );
}

export interface CountedChanges {
  readonly accountId: number;
  readonly table: string;
  readonly changes: Changes;
}

export function countStatement(dialect: Dialect, counted: readonly CountedChanges[]): [sql: string, values: Value[]] {
  const rows = counted.map(() => `(?, ?, ${dialect.shard}, ?, ?, ?, ?)`).join(', ');
  const sql = `INSERT INTO list_changes (${KEY}, ${COLUMNS.join(', ')}) VALUES ${rows} ${dialect.upsertSums(KEY, COLUMNS)}`;
  return [sql, counted.flatMap(({ accountId, table, changes }) => [accountId, table, ...COLUMNS.map((column) => changes[column] ?? 0)])];
}

/**
 * SELECT expression of a list's state: its changes so far. The committed rows that successive statements see only ever grow, so two
 * statements that select the same state see the same records, whatever ids and times those have.
 */
export function stateOf({ accountId, table, tables = [table] }: ListSource): { sql: string; values: Values } {
  const lists = tables.map(() => '?').join(', ');
  const sql = `(SELECT CONCAT(${SUMS}) FROM list_changes WHERE account_id IN (${ANY_ACCOUNT}, ?) AND list IN (${lists}))`;
  return { sql, values: [accountId, ...tables] };
}

/** Reads a list's state now. */
export async function readState(dialect: Dialect, source: ListSource): Promise<string> {
  const { sql, values } = stateOf(source);
  const [[state]] = await dialect.read(`SELECT ${sql}`, values);
  return String(state);
}

/** The changes from one state to a later one. */
export function changesBetween(before: string, after: string): Required<Changes> {
  const [then, now] = [before, after].map((state) => state.split(' ').map(Number));
  const [inserted, deleted, updated, uncounted] = now.map((number, index) => number - then[index]);
  return { inserted, deleted, updated, uncounted };
}

/**
 * Whether the records up to the then greatest id are the same, given how many have a greater one now. Those may be more than have been
 * counted: other software inserts, too.
 */
export function isSameUpTo({ inserted, deleted, uncounted }: Required<Changes>, newer: number): boolean {
  return deleted === 0 && uncounted === 0 && newer >= inserted;
}

/** SELECT expression of a list's greatest id, by an index. */
export function newestId(dialect: Dialect, { table, accountId }: AccountList): Condition {
  const { sql, values } = dialect.ofAccount(accountId);
  return { sql: `(SELECT id FROM ${table} WHERE ${sql} ORDER BY account_id DESC, id DESC LIMIT 1)`, values };
}
