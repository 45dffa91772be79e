import type { RecordColumns } from '../../common/record-columns';
import type { Row } from '../../database/records/records';
import { writeCell } from '../formats/csv-cells';
import type { Format } from '../formats/format';

/** The text of a file of records, batch by batch; import takes it back. */
export async function* encodeRecords(batches: AsyncIterable<Row[]>, format: Format, of: RecordColumns): AsyncGenerator<string> {
  if (format === 'csv') yield `${of.fields.join(',')}\n`;
  let count = 0;
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    if (format === 'csv') yield rows.map((row) => `${of.fields.map((field) => writeCell(cellText(row[field]))).join(',')}\n`).join('');
    else if (format === 'ndjson') yield rows.map((row) => `${jsonText(row, of)}\n`).join('');
    else yield `${count === 0 ? '[\n' : ',\n'}${rows.map((row) => jsonText(row, of)).join(',\n')}`;
    count += rows.length;
  }
  if (format === 'json') yield count === 0 ? '[]\n' : '\n]\n';
}

function cellText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An object is kept as text. */
function jsonText(row: Row, { fields, columns }: RecordColumns): string {
  const objects = columns.filter(({ json }) => json === 'object').map(({ name }) => name);
  return JSON.stringify(
    Object.fromEntries(fields.map((field) => [field, objects.includes(field) ? JSON.parse(String(row[field])) : row[field]])),
  );
}
