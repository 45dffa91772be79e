import type { Dialect, SqlExecutor, Values } from '../../database/dialect';
import { inList } from '../../database/value-lists';

const KEY = 'account_id, hour, handler_id, status, outcome, shard';
const GROUP = "account_id, SUBSTR(datetime, 1, 13), handler_id, status, COALESCE(outcome, '')";

/** Adds deliveries to the statistics, or with the sign -1 takes them out. `condition` chooses rows that this transaction has locked. */
export async function countDeliveries(
  { sql }: Dialect,
  statements: SqlExecutor,
  sign: 1 | -1,
  condition: string,
  values: Values,
): Promise<void> {
  const counted = `SELECT ${GROUP}, ${sql.shard}, ${sign} * COUNT(*) FROM deliveries WHERE ${condition} GROUP BY ${GROUP}`;
  await statements.write(`INSERT INTO delivery_statistics (${KEY}, number) ${counted} ${sql.upsertSums(KEY, ['number'])}`, values);
}

/** Wraps what changes the status or outcome of these deliveries, or deletes them; the transaction has locked them. */
export async function countingChanges<T>(
  dialect: Dialect,
  statements: SqlExecutor,
  ids: readonly number[],
  change: () => Promise<T>,
): Promise<T> {
  if (ids.length === 0) return change();
  const { sql, values } = inList(ids);
  await countDeliveries(dialect, statements, -1, `id IN ${sql}`, values);
  const result = await change();
  await countDeliveries(dialect, statements, 1, `id IN ${sql}`, values);
  return result;
}
