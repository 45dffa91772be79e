import { IntegerQueue } from '../../common/integer-queue';
import type { Dialect, RowValues, Value } from '../dialect';
import type { ListSource } from './list-changes';
import type { Condition } from './selection';

/** A list in ascending order of an indexed column, or of a text of the records that it refers to. The id breaks ties. */
export interface OrderedList extends ListSource {
  /** The id column. */
  readonly id: string;
  /** Further conditions, as `conditionsOf` writes them. */
  readonly condition: Condition;
  /** May be the id. NULL comes before any value. */
  readonly column: string;
  readonly reference?: Reference;
}

/** `list.column = table.column`, ordered by `table.order`. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly order: string;
}

/** Of more referenced records, no order is remembered: each distinct text takes a statement. */
const MAX_REFERENCED = 5_000;
/** Rows per statement: each is parsed in a few milliseconds. */
const CHUNK = 2_000;

/** Reads ids and values of the list's column in short statements, from the index alone; without the records where it is NULL. */
export async function* readInOrder(dialect: Dialect, list: OrderedList): AsyncGenerator<RowValues[]> {
  const { table, id, column, accountId, condition } = list;
  const account = dialect.ofAccount(accountId);
  const where = `${account.sql}${condition.sql}${column === id ? '' : ` AND ${column} IS NOT NULL`}`;
  const order = column === id ? id : `${column}, ${id}`;
  let after: { sql: string; values: readonly Value[] } = { sql: '', values: [] };
  for (;;) {
    const rows = await dialect.read(
      `SELECT ${id}, ${column} FROM ${table} WHERE ${where}${after.sql} ORDER BY account_id, ${order} LIMIT ?`,
      [...account.values, ...condition.values, ...after.values, CHUNK],
      list,
    );
    yield rows;
    if (rows.length < CHUNK) return;
    const [lastId, value] = rows[rows.length - 1];
    const { sql, values } = column === id ? { sql: `${id} > ?`, values: [lastId] } : dialect.isAfter([column, id], [value, lastId]);
    after = { sql: ` AND ${sql}`, values };
  }
}

/** The ids in the list's order. Undefined when too many records are referenced, or one of another account is. */
export function readIds(dialect: Dialect, list: OrderedList): Promise<IntegerQueue | undefined> {
  return list.reference ? readByReference(dialect, list, list.reference) : readByColumn(dialect, list);
}

async function readByColumn(dialect: Dialect, list: OrderedList): Promise<IntegerQueue> {
  const { id, column } = list;
  // In one statement: MariaDB reads no index for those after an id, and would sort them again for each chunk.
  const ids = column === id ? new IntegerQueue() : await readById(dialect, list, { sql: `${column} IS NULL`, values: [] });
  for await (const rows of readInOrder(dialect, list)) for (const [each] of rows) ids.add(Number(each));
  return ids;
}

async function readByReference(
  dialect: Dialect,
  list: OrderedList,
  { table, column, order }: Reference,
): Promise<IntegerQueue | undefined> {
  const { accountId, condition } = list;
  const referenced = await dialect.read(
    `SELECT ${column}, ${order} FROM ${table} WHERE account_id = ? ORDER BY ${order}, ${column} LIMIT ?`,
    [accountId, MAX_REFERENCED + 1],
    { table, accountId },
  );
  if (referenced.length > MAX_REFERENCED) return undefined;
  const groups = new Map<unknown, number[]>();
  for (const [id, text] of referenced) groups.set(text, [...(groups.get(text) ?? []), Number(id)]);
  const ids = new IntegerQueue();
  for (const group of groups.values()) {
    const among = { sql: `${column} IN (${group.map(() => '?').join(', ')})`, values: group };
    const found = await readById(dialect, list, group.length === 1 ? dialect.equals(column, group[0]) : among, false);
    for (const id of found.toArray()) ids.add(id);
  }
  const count = `SELECT COUNT(*) FROM ${list.table} WHERE account_id = ?${condition.sql}`;
  const [[total]] = await dialect.read(count, [accountId, ...condition.values], list);
  return ids.length === Number(total) ? ids : undefined;
}

function readById(dialect: Dialect, list: OrderedList, { sql, values }: Condition, isOfAccount = true): Promise<IntegerQueue> {
  const { id, table, condition, accountId } = list;
  const account = isOfAccount ? dialect.ofAccount(accountId) : { sql: '', values: [] };
  const where = [account.sql, sql].filter((each) => each !== '').join(' AND ');
  const statement = `SELECT ${id} FROM ${table} WHERE ${where}${condition.sql} ORDER BY ${id}`;
  return dialect.readIntegers(statement, [...account.values, ...values, ...condition.values], list);
}
