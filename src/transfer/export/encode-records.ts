import type { RecordColumns } from '../../common/record-columns';
import type { Row } from '../../database/records/records';
import { encodeCell } from '../formats/csv-cells';
import type { Format } from '../formats/format';

/** Encodes records as a file that import reads back, batch by batch. */
export async function* encodeRecords(batches: AsyncIterable<Row[]>, format: Format, collection: RecordColumns): AsyncGenerator<string> {
  const { fields, columns } = collection;
  const objects = columns.filter(({ json }) => json === 'object').map(({ name }) => name); // stored as text
  const jsonOf = (row: Row) =>
    JSON.stringify(Object.fromEntries(fields.map((name) => [name, objects.includes(name) ? JSON.parse(String(row[name])) : row[name]])));
  let isFirst = true;
  if (format === 'csv') yield `${fields.join(',')}\n`;
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    if (format === 'csv') yield rows.map((row) => `${fields.map((name) => encodeCell(cellText(row[name]))).join(',')}\n`).join('');
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
