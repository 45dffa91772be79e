import { Injectable } from '@nestjs/common';
import { IntegerQueue } from '../../common/integer-queue';
import { Dialect, type RowValues, type SqlFragment } from '../dialect';
import { inList } from '../value-lists';
import { type ListTable, readState, selectState } from './list-changes';
import type { Slice } from '../records/pages';
import { ListMemory, type CachedContent } from './list-memory';
import type { Direction } from '../records/selection';

/** If more records than this are referenced, the order isn't cached: reading it takes a statement per distinct text. */
const MAX_REFERENCED_RECORDS = 5_000;
/** Rows per statement; parsing them takes a few milliseconds. */
const ROWS_PER_READ = 2_000;

/** A list in ascending order of an indexed column, or of a text column of the records that it references. The id breaks ties. */
export interface OrderedList extends ListTable {
  /** The id column. */
  readonly id: string;
  /** Further conditions, as returned by `conditionsOf`. */
  readonly condition: SqlFragment;
  /** Column to order by; may be the id. NULL comes before any value. */
  readonly column: string;
  readonly reference?: OrderReference;
}

/** `list.column = table.column`, ordered by `table.order`. */
interface OrderReference {
  readonly table: string;
  readonly column: string;
  readonly order: string;
}

/** The SELECT list of a page's query, the id first, and its FROM clause. */
export interface PageSource {
  readonly columns: string;
  readonly from: string;
  /** The id column, qualified by its table. */
  readonly id: string;
}

/** A list's ids in its order. */
interface CachedOrder {
  readonly ids: Int32Array;
  readonly bytes: number;
}

/** Reads pages of large lists through a cached array of the ids in order, which saves counting, sorting and skipping records. */
@Injectable()
export class OrderedPages {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  /** Reads the order in the background; resolves when that is done. */
  prepare(list: OrderedList): Promise<void> {
    return this.memory.prepare(keyOf(list), list, async () => {
      const ids = (await readIds(this.dialect, list))?.toArray();
      return ids && { ids, bytes: ids.byteLength };
    });
  }

  /** A page of the list. Undefined when the order has not been read since the list last changed. */
  async read(list: OrderedList, offset: number, size: number, direction: Direction, source: PageSource): Promise<Slice | undefined> {
    const cached = await this.memory.get<CachedOrder>(keyOf(list));
    if (!cached) return undefined;
    const { ids } = cached.content;
    const [from, to] = [Math.min(offset, ids.length), Math.min(offset + size, ids.length)];
    const page = direction === 'asc' ? ids.slice(from, to) : ids.slice(ids.length - to, ids.length - from).reverse();
    const rows = await this.readRows(list, cached, Array.from(page), source);
    if (!rows) this.memory.forget(keyOf(list), cached);
    return rows && { rows, total: ids.length };
  }

  /** Undefined when the list has changed. */
  private async readRows(
    list: OrderedList,
    cached: CachedContent<CachedOrder>,
    ids: readonly number[],
    { columns, from, id }: PageSource,
  ): Promise<RowValues[] | undefined> {
    if (ids.length === 0) return (await readState(this.dialect, list)) === cached.state ? [] : undefined;
    const [state, idList] = [selectState(list), inList(ids)];
    const sql = `SELECT ${columns}, ${state.sql} FROM ${from} WHERE ${id} IN ${idList.sql}`;
    const rows = await this.dialect.read(sql, [...state.values, ...idList.values]);
    const byId = new Map(rows.map((row) => [row[0], row]));
    const isSame = byId.size === ids.length && rows[0][rows[0].length - 1] === cached.state;
    return isSame ? ids.map((each) => byId.get(each)!.slice(0, -1)) : undefined;
  }
}

function keyOf({ accountId, table, column, condition, reference }: OrderedList): string {
  return `order ${JSON.stringify([table, accountId, reference ?? column, condition])}`;
}

/** Reads ids and values of the list's column in short statements, from the index alone; skips NULLs. */
export async function* readInOrder(dialect: Dialect, list: OrderedList): AsyncGenerator<[id: number, value: string | number][]> {
  const { table, id, column, accountId, condition } = list;
  const account = dialect.sql.ofAccount(accountId);
  const where = `${account.sql}${condition.sql}${column === id ? '' : ` AND ${column} IS NOT NULL`}`;
  const order = column === id ? id : `${column}, ${id}`;
  let after: SqlFragment = { sql: '', values: [] };
  for (;;) {
    const rows = await dialect.read<[id: number, value: string | number]>(
      `SELECT ${id}, ${column} FROM ${table} WHERE ${where}${after.sql} ORDER BY account_id, ${order} LIMIT ?`,
      [...account.values, ...condition.values, ...after.values, ROWS_PER_READ],
      list,
    );
    yield rows;
    if (rows.length < ROWS_PER_READ) return;
    const [lastId, value] = rows[rows.length - 1];
    const { sql, values } = column === id ? { sql: `${id} > ?`, values: [lastId] } : dialect.sql.isAfter([column, id], [value, lastId]);
    after = { sql: ` AND ${sql}`, values };
  }
}

/** The ids in the list's order. Undefined if too many records are referenced, or if the list refers to another account's record. */
async function readIds(dialect: Dialect, list: OrderedList): Promise<IntegerQueue | undefined> {
  if (list.reference) return readByReference(dialect, list, list.reference);
  const { id, column, accountId } = list;
  const account = dialect.sql.ofAccount(accountId);
  // Rows with NULL are read by one statement: MariaDB can't seek to an id among them, and would sort them again for each chunk.
  const withNull = { sql: `${account.sql} AND ${column} IS NULL`, values: account.values };
  const ids = column === id ? new IntegerQueue() : await readById(dialect, list, withNull);
  for await (const rows of readInOrder(dialect, list)) for (const [each] of rows) ids.add(each);
  return ids;
}

async function readByReference(
  dialect: Dialect,
  list: OrderedList,
  { table, column, order }: OrderReference,
): Promise<IntegerQueue | undefined> {
  const { accountId, condition } = list;
  const referenced = await dialect.read<[id: number, text: string]>(
    `SELECT ${column}, ${order} FROM ${table} WHERE account_id = ? ORDER BY ${order}, ${column} LIMIT ?`,
    [accountId, MAX_REFERENCED_RECORDS + 1],
    { table, accountId },
  );
  if (referenced.length > MAX_REFERENCED_RECORDS) return undefined;
  const groups = new Map<string, number[]>();
  for (const [id, text] of referenced) groups.set(text, [...(groups.get(text) ?? []), id]);
  const ids = new IntegerQueue();
  for (const group of groups.values()) {
    const idList = { sql: `${column} IN (${group.map(() => '?').join(', ')})`, values: group };
    const groupIds = await readById(dialect, list, group.length === 1 ? dialect.sql.equals(column, group[0]) : idList);
    for (const id of groupIds.toArray()) ids.add(id);
  }
  const count = `SELECT COUNT(*) FROM ${list.table} WHERE account_id = ?${condition.sql}`;
  const [[total]] = await dialect.read<[total: number]>(count, [accountId, ...condition.values], list);
  return ids.length === total ? ids : undefined;
}

function readById(dialect: Dialect, list: OrderedList, { sql, values }: SqlFragment): Promise<IntegerQueue> {
  const { id, table, condition } = list;
  const statement = `SELECT ${id} FROM ${table} WHERE ${sql}${condition.sql} ORDER BY ${id}`;
  return dialect.readIntegers(statement, [...values, ...condition.values], list);
}
