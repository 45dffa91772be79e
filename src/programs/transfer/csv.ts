import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { RecordColumns } from '../../platform/common/records';
import { TransferError, MAX_RECORD_BYTES, printable, type SourceRecord } from './source';

const FORMULA = /^'*[=+\-@\t]/;
const GUARDED_FORMULA = /^'+[=+\-@\t]/;

/** For a spreadsheet, a `'` guards a formula. Text that looks guarded gets another one, since import removes one. */
export function encodeCell(value: string, isForExcel = false): string {
  return quote((isForExcel ? FORMULA : GUARDED_FORMULA).test(value) ? `'${value}` : value, ',');
}

function quote(cell: string, delimiter: string): string {
  return cell.includes(delimiter) || /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const SEPARATOR_LINE = /^"?sep=([^\w"])"?[\r\n]+/i;
const HEADER_LINE = /^(?:[ \t,;]*[\r\n])*([ \t,;]*[^\s,;][^\r\n]*)/;

/** For a file with one column, so that each line is one cell: no valid text has a NUL. */
const NO_DELIMITER = '\0';

/** The delimiter that a first line `sep=` names, or the one that the header line has most of. */
async function readDelimiter(texts: AsyncIterable<string>): Promise<{ delimiter: string; separator?: string }> {
  let start = '';
  let header: RegExpExecArray | null = null;
  for await (const text of texts) {
    start += text;
    header = HEADER_LINE.exec(start.replace(SEPARATOR_LINE, ''));
    if (start.length > MAX_RECORD_BYTES || (header && !start.endsWith(header[0]))) break;
  }
  if (!header) throw new TransferError('The file is empty: a header line is required.');
  const [, line] = header;
  const separator = SEPARATOR_LINE.exec(start)?.[1];
  const delimiter = separator ?? [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0];
  return { delimiter: line.includes(delimiter) ? delimiter : NO_DELIMITER, separator };
}

/** The names in the header line, empty for a nameless column. @throws TransferError for an unknown, duplicate or missing column */
function namesIn(cells: string[], { fields, columns }: RecordColumns): string[] {
  const names = cells.slice(0, cells.findLastIndex((name) => name !== '') + 1);
  const required = columns.filter(({ fallback }) => fallback === undefined).map(({ name }) => name);
  const invalid = {
    unknown: names.filter((name) => name !== '' && !fields.includes(name)),
    duplicate: names.filter((name, index) => name !== '' && names.indexOf(name) < index),
    missing: required.filter((name) => !names.includes(name)),
  };
  const problems = Object.entries(invalid)
    .filter(([, invalidNames]) => invalidNames.length > 0)
    .map(([problem, invalidNames]) => `${problem}: ${[...new Set(invalidNames)].map(printable).join(', ')}`);
  if (problems.length > 0) throw new TransferError(`The header line is invalid: ${problems.join('; ')}. Accepted: ${fields.join(', ')}.`);
  return names;
}

/** Reads a CSV file as spreadsheets write it; `texts` reads it from its beginning. @throws TransferError */
export async function* readCsv(texts: () => AsyncIterable<string>, collection: RecordColumns): AsyncGenerator<SourceRecord> {
  const { delimiter, separator } = await readDelimiter(texts());
  const rows = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    trim: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_RECORD_BYTES,
    from_line: separator ? 2 : 1,
  });
  pipeline(texts(), rows, () => undefined); // the loop throws its errors
  const encode = (cells: string[]) => cells.map((cell) => quote(cell, delimiter)).join(delimiter);
  let header: { names: string[]; text: string } | undefined;
  let number = 0;
  try {
    for await (const cells of rows as AsyncIterable<string[]>) {
      if (header) yield { number: ++number, header: header.text, encode: () => encode(cells), ...valuesOf(cells, header.names) };
      else header = { names: namesIn(cells, collection), text: `${separator ? `sep=${separator}\n` : ''}${encode(cells)}` };
    }
  } catch (error) {
    throw error instanceof CsvError ? new TransferError(problemOf(error)) : error;
  }
}

/** `records` counts the records before the error, including the header. */
function problemOf({ code, records }: CsvError): string {
  const record = records === 0 ? 'The header line' : `record ${String(records)}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `${record} has an unclosed double quote.`;
  if (code === 'CSV_MAX_RECORD_SIZE') return `${record} is longer than ${MAX_RECORD_BYTES} bytes; is a double quote unclosed?`;
  return `${record} has a double quote in the middle of a cell.`;
}

function valuesOf(cells: string[], names: string[]): Pick<SourceRecord, 'values' | 'unreadable'> {
  const count = cells.findLastIndex((cell) => cell !== '') + 1;
  if (cells.length < names.length || count > names.length)
    return { unreadable: `has ${cells.length} cells; the header has ${names.length}` };
  const values: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) {
    const cell = cells[index];
    if (names[index] !== '') values[names[index]] = GUARDED_FORMULA.test(cell) ? cell.slice(1) : cell;
    else if (cell.trim() !== '') return { unreadable: 'has a value in a column without a name' };
  }
  return { values };
}
