import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Dialect, SqlExecutor, SqlFragment, Value } from '../dialect';

/**
 * Counts of committed changes per account and list, updated in each write's transaction. Account 0 holds changes whose account
 * isn't known. No foreign key: every write would lock the account's row.
 */
@Entity('list_changes')
export class ListChange {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** Table name. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  list: string;

  /** Concurrent transactions count in different rows, so that none waits for another's commit. */
  @PrimaryColumn({ type: 'int' })
  shard: number;

  @Column({ type: 'bigint' })
  inserted: number;

  @Column({ type: 'bigint' })
  deleted: number;

  @Column({ type: 'bigint' })
  updated: number;

  /** Changes to an unknown number of records. */
  @Column({ type: 'bigint' })
  uncounted: number;
}

const COUNTERS = ['inserted', 'deleted', 'updated', 'uncounted'] as const;

/** Numbers of changed records, 0 by default. `uncounted` is 1 for a change to an unknown number of records. */
export type Changes = Readonly<Partial<Record<(typeof COUNTERS)[number], number>>>;

/** An account's records of one table. */
export interface AccountList {
  readonly accountId: number;
  readonly table: string;
}

export interface ListTable extends AccountList {
  /** Every table whose changes may affect the records, including the list's own; by default, only that one. */
  readonly tables?: readonly string[];
  /** See `List`. */
  readonly hasLongTexts?: boolean;
}

export interface CountedChanges extends AccountList {
  readonly changes: Changes;
}

/** Account id for changes whose account isn't known. */
export const ANY_ACCOUNT = 0;
const KEY_SQL = 'account_id, list, shard';
const COUNTER_SUMS = COUNTERS.map((column) => `COALESCE(SUM(${column}), 0)`).join(`, ' ', `);

/**
 * Counts changes in the transaction that makes them. Call it near the end: its rows stay locked until the commit. On SQLite, a write
 * that isn't counted may be missing from lists for minutes.
 */
export async function countChanges(
  dialect: Dialect,
  statements: SqlExecutor,
  accountId: number,
  byTable: Readonly<Record<string, Changes>>,
): Promise<void> {
  const counted = Object.entries(byTable).map(([table, changes]) => ({ accountId, table, changes }));
  await statements.writeLast(...countStatement(dialect, counted));
}

export function countStatement({ sql }: Dialect, counted: readonly CountedChanges[]): [sql: string, values: Value[]] {
  const rows = counted.map(() => `(?, ?, ${sql.shard}, ?, ?, ?, ?)`).join(', ');
  const values = counted.flatMap(({ accountId, table, changes }) => [accountId, table, ...COUNTERS.map((column) => changes[column] ?? 0)]);
  return [`INSERT INTO list_changes (${KEY_SQL}, ${COUNTERS.join(', ')}) VALUES ${rows} ${sql.upsertSums(KEY_SQL, COUNTERS)}`, values];
}

/**
 * SELECT expression for a list's state: the counts of its changes so far. They only grow, so two statements that select the same state see
 * the same records.
 */
export function selectState({ accountId, table, tables = [table] }: ListTable): SqlFragment {
  const lists = tables.map(() => '?').join(', ');
  const sql = `(SELECT CONCAT(${COUNTER_SUMS}) FROM list_changes WHERE account_id IN (${ANY_ACCOUNT}, ?) AND list IN (${lists}))`;
  return { sql, values: [accountId, ...tables] };
}

export async function readState(dialect: Dialect, source: ListTable): Promise<string> {
  const { sql, values } = selectState(source);
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
 * Whether no record up to the earlier state's greatest id was inserted or deleted. `newer` is the current number of records with greater ids;
 * inserts by other software can make it exceed `inserted`.
 */
export function isSameUpTo({ inserted, deleted, uncounted }: Required<Changes>, newer: number): boolean {
  return deleted === 0 && uncounted === 0 && newer >= inserted;
}

/** SELECT expression for a list's greatest id, read from an index. */
export function selectNewestId(dialect: Dialect, { table, accountId }: AccountList): SqlFragment {
  const { sql, values } = dialect.sql.ofAccount(accountId);
  return { sql: `(SELECT id FROM ${table} WHERE ${sql} ORDER BY account_id DESC, id DESC LIMIT 1)`, values };
}

/** SELECT expression for the number of records with a greater id that match the condition. */
export function selectNewerCount(dialect: Dialect, { table, accountId }: AccountList, id: number, condition?: SqlFragment): SqlFragment {
  const { sql, values } = dialect.sql.ofAccount(accountId);
  const count = `(SELECT COUNT(*) FROM ${table} WHERE ${sql} AND id > ?${condition?.sql ?? ''})`;
  return { sql: count, values: [...values, id, ...(condition?.values ?? [])] };
}

/** Joins expressions into one SELECT list. */
export function joinFragments(...expressions: readonly SqlFragment[]): SqlFragment {
  return { sql: expressions.map(({ sql }) => sql).join(', '), values: expressions.flatMap(({ values }) => values) };
}
