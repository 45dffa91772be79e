import type { RecordColumns } from '../../platform/common/records';
import type { Dialect, RowValues } from '../../platform/database/dialect';
import type { Row } from '../../platform/database/records/records';
import type { Collection } from '../../scheduling/collections/collection';
import type { RecordList, SchedulingService } from '../../scheduling/scheduling.service';
import { encodeCell } from './csv';
import type { Format } from './source';

const RECORDS_PER_BATCH = 500;

/** Every record of a collection in an account, by ascending id. Holds no connection between batches. */
export function exportRecords(
  columns: RecordColumns,
  accountId: number,
  { dialect, scheduling, collections }: { dialect: Dialect; scheduling: SchedulingService; collections: readonly Collection[] },
): AsyncGenerator<Row[]> {
  const collection = collections.find(({ name }) => name === columns.name);
  if (!collection) return readTable(columns, accountId, dialect);
  return readList(scheduling.findAll(accountId, { collection, orderby: collection.id, sort: 'asc', filters: new Map() }));
}

async function* readList(list: Promise<RecordList>): AsyncGenerator<Row[]> {
  const { first, rest } = await list;
  yield first;
  if (rest) yield* rest;
}

async function* readTable({ name: table, id, columns }: RecordColumns, accountId: number, dialect: Dialect): AsyncGenerator<Row[]> {
  const names = [id.column, ...columns.map(({ name }) => name)].join(', ');
  const account = dialect.sql.ofAccount(accountId);
  const sql = `SELECT ${names} FROM ${table} WHERE ${account.sql} AND ${id.column} > ? ORDER BY account_id, ${id.column} LIMIT ?`;
  const recordOf = ([key, ...values]: RowValues): Row => ({
    [id.name]: key,
    ...Object.fromEntries(columns.map(({ name, json }, index) => [name, json === 'boolean' ? values[index] === 1 : values[index]])),
  });
  let rows: RowValues[] = [];
  do {
    rows = await dialect.read(sql, [...account.values, rows.at(-1)?.[0] ?? 0, RECORDS_PER_BATCH]);
    yield rows.map(recordOf);
  } while (rows.length === RECORDS_PER_BATCH);
}

/** Encodes records as a file that import reads back, batch by batch. `isForExcel`: CSV that Excel opens correctly in any locale. */
export async function* encodeRecords(
  batches: AsyncIterable<Row[]>,
  format: Format,
  collection: RecordColumns,
  isForExcel = false,
): AsyncGenerator<string> {
  const { fields, columns } = collection;
  const objects = columns.filter(({ json }) => json === 'object').map(({ name }) => name); // stored as text
  const jsonOf = (row: Row) =>
    JSON.stringify(Object.fromEntries(fields.map((name) => [name, objects.includes(name) ? JSON.parse(String(row[name])) : row[name]])));
  const [start, delimiter, lineEnd] = isForExcel ? ['\uFEFF', ';', '\r\n'] : ['', ',', '\n'];
  const csvOf = (row: Row) => `${fields.map((name) => encodeCell(cellText(row[name]), isForExcel)).join(delimiter)}${lineEnd}`;
  let isFirst = true;
  if (format === 'csv') yield `${start}${fields.join(delimiter)}${lineEnd}`;
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    if (format === 'csv') yield rows.map(csvOf).join('');
    else if (format === 'ndjson') yield rows.map((row) => `${jsonOf(row)}\n`).join('');
    else yield `${isFirst ? '[\n' : ',\n'}${rows.map(jsonOf).join(',\n')}`;
    isFirst = false;
  }
  if (format === 'json') yield isFirst ? '[]\n' : '\n]\n';
}

function cellText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
