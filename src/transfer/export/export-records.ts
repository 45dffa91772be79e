import type { RecordColumns } from '../../common/record-columns';
import type { Dialect, NamedRow } from '../../database/dialect';
import type { Row } from '../../database/records/records';
import { COLLECTIONS } from '../../scheduling/collections/collections';
import type { RecordList, SchedulingService } from '../../scheduling/scheduling.service';

const BATCH = 500;

/** Every record of a collection in an account, by ascending id. Holds no connection between batches. */
export function exportRecords(
  columns: RecordColumns,
  accountId: number,
  { dialect, scheduling }: { dialect: Dialect; scheduling: SchedulingService },
): AsyncGenerator<Row[]> {
  const collection = COLLECTIONS.find(({ name }) => name === columns.name);
  if (!collection) return readTable(columns, accountId, dialect);
  return readList(scheduling.findAll(accountId, { collection, orderby: collection.id, sort: 'asc', filters: new Map() }));
}

async function* readList(list: Promise<RecordList>): AsyncGenerator<Row[]> {
  const { first, rest } = await list;
  yield first;
  if (rest) yield* rest;
}

async function* readTable({ name: table, id, columns }: RecordColumns, accountId: number, dialect: Dialect): AsyncGenerator<Row[]> {
  const names = [`${id.column} AS ${id.name}`, ...columns.map(({ name }) => name)].join(', ');
  const account = dialect.ofAccount(accountId);
  const sql = `SELECT ${names} FROM ${table} WHERE ${account.sql} AND ${id.column} > ? ORDER BY account_id, ${id.column} LIMIT ?`;
  const flags = columns.filter(({ json }) => json === 'boolean').map(({ name }) => name);
  let rows: NamedRow[] = [];
  do {
    rows = await dialect.readNamed(sql, [...account.values, rows.at(-1)?.[id.name] ?? 0, BATCH]);
    yield rows.map((row) => ({ ...row, ...Object.fromEntries(flags.map((flag) => [flag, row[flag] === 1])) }));
  } while (rows.length === BATCH);
}
