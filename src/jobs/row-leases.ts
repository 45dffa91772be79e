import { notBeyond } from '../common/time';
import type { Dialect, SqlExecutor } from '../database/dialect';
import { inList } from '../database/value-lists';

/** Rows whose column `due` says when there is work: in milliseconds since 1970, null for never. */
export interface DueTable {
  table: string;
  /** The primary key. */
  key: string;
  /** What is due later than this was written while a clock was ahead, and is due now. */
  maxWaitMs: number;
}

/**
 * Claims rows that are due by moving their `due` to the end of a lease: until then nobody finds them due. Returns the keys of those that no
 * other process has claimed, or is claiming. Whoever writes a result first checks that the row's `due` is still the lease.
 */
export async function claimDue<K extends string | number>(
  statements: SqlExecutor,
  dialect: Dialect,
  { table, key, maxWaitMs }: DueTable,
  { keys, now, lease }: { keys: readonly K[]; now: number; lease: number },
): Promise<Set<K>> {
  if (keys.length === 0) return new Set();
  const candidates = inList(keys);
  const lock = `SELECT ${key}, due FROM ${table} WHERE ${key} IN ${candidates.sql}${dialect.forUpdateSkipLocked}`;
  const rows = await statements.read<[key: K, due: number | null]>(lock, candidates.values);
  const free = rows.filter(([, due]) => due !== null && notBeyond(due, now, maxWaitMs) <= now).map(([found]) => found);
  if (free.length === 0) return new Set();
  const { sql, values } = inList(free);
  await statements.write(`UPDATE ${table} SET due = ? WHERE ${key} IN ${sql}`, [lease, ...values]);
  return new Set(free);
}
