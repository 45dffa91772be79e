import type { Dialect, SqlExecutor, Values } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { Counts } from './counts';

const FIND = `SELECT account_id, SUBSTR(datetime, 1, 13), handler_id, status, COALESCE(outcome, ''), 1 FROM deliveries WHERE`;

type Row = [accountId: number, hour: string, handlerId: number, status: string, outcome: string, number: number];

/** Adds deliveries to the statistics, or with the sign -1 takes them out. `condition` chooses rows that this transaction has locked. */
export async function countDeliveries(
  dialect: Dialect,
  statements: SqlExecutor,
  sign: 1 | -1,
  condition: string,
  values: Values,
): Promise<void> {
  const counts = new Counts();
  counts.addDeliveries(await statements.read<Row>(`${FIND} ${condition}`, values), sign);
  await counts.save(dialect, statements);
}

/** Wraps what changes the status or outcome of these deliveries; the transaction has locked them. */
export async function countingChanges<T>(
  dialect: Dialect,
  statements: SqlExecutor,
  ids: readonly number[],
  change: () => Promise<T>,
): Promise<T> {
  if (ids.length === 0) return change();
  const { sql, values } = inList(ids);
  const counts = new Counts();
  counts.addDeliveries(await statements.read<Row>(`${FIND} id IN ${sql}`, values), -1);
  const result = await change();
  counts.addDeliveries(await statements.read<Row>(`${FIND} id IN ${sql}`, values), 1);
  await counts.save(dialect, statements);
  return result;
}
