import type { RecordColumns } from '../../platform/common/records';
import { FileError, type Line, MAX_RECORD_BYTES, NOT_UTF8, printable, readLines, type SourceRecord } from './source';

/** The cells of a CSV record; `open` when its last quoted cell continues on the next line. */
type Cells = { cells: string[] } | { open: true } | { problem: string };

const QUOTED = ' *"([^"]*(?:""[^"]*)*)';
const patterns = new Map<string, RegExp>();

/** Parses a record by RFC 4180, plus spaces around a quoted cell. Most records have no double quote and are just split. */
export function parseCells(text: string, delimiter: string): Cells {
  if (!text.includes('"')) return { cells: text.split(delimiter) };
  if (!patterns.has(delimiter)) patterns.set(delimiter, cellPattern(`\\${delimiter}`));
  const pattern = patterns.get(delimiter)!;
  pattern.lastIndex = 0;
  const cells: string[] = [];
  for (;;) {
    const match = pattern.exec(text);
    if (!match) return { problem: 'has a double quote in the middle of a cell' };
    const [, quoted, plain, open] = match;
    if (open !== undefined) return { open: true };
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (pattern.lastIndex === text.length) return { cells };
    pattern.lastIndex++; // past the delimiter
  }
}

/** A quoted cell, a plain cell, or a quoted cell that is still open. */
function cellPattern(delimiter: string): RegExp {
  const end = `(?=${delimiter}|$)`;
  return new RegExp(`${QUOTED}"\\s*?${end}|([^"${delimiter}]*)${end}|(${QUOTED}$)`, 'y');
}

const FORMULA = /^'*[=+\-@\t]/;
const GUARDED = /^'+[=+\-@\t]/;

/** For a spreadsheet, a `'` guards a formula. Text that looks guarded gets another one, since import removes one. */
export function encodeCell(value: string, isForExcel = false): string {
  const cell = (isForExcel ? FORMULA : GUARDED).test(value) ? `'${value}` : value;
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

interface CsvHeader {
  /** Including a leading `sep=` line. */
  text: string;
  delimiter: string;
  /** Empty for a nameless column. */
  names: string[];
}

const NOT_CSV_UTF8 = `${NOT_UTF8}: save it as "CSV UTF-8" in Excel, or with the character set "Unicode (UTF-8)" in LibreOffice`;

/** Delimiter of a file with one column, whose lines are one cell: no valid text has a NUL. */
const NONE = '\0';

/** @throws FileError for an unknown, duplicate or missing column */
function parseHeader({ text, bytes }: Line, separator: string | undefined, { fields, columns }: RecordColumns): CsvHeader {
  if (bytes) throw new FileError(`The header line ${NOT_CSV_UTF8}.`);
  const delimiter = separator ?? [',', ';', '\t'].toSorted((a, b) => text.split(b).length - text.split(a).length)[0];
  const result = parseCells(text, delimiter);
  if (!('cells' in result)) throw new FileError("The header line can't be parsed: misplaced double quote.");
  const cells = result.cells.map((cell) => cell.trim());
  const names = cells.slice(0, cells.findLastIndex((name) => name !== '') + 1);
  const required = columns.filter(({ fallback }) => fallback === undefined).map(({ name }) => name);
  const invalid = {
    unknown: names.filter((name) => name !== '' && !fields.includes(name)),
    duplicate: names.filter((name, index) => name !== '' && names.indexOf(name) < index),
    missing: required.filter((name) => !names.includes(name)),
  };
  const problems = Object.entries(invalid)
    .filter(([, found]) => found.length > 0)
    .map(([problem, found]) => `${problem}: ${[...new Set(found)].map(printable).join(', ')}`);
  if (problems.length > 0) throw new FileError(`The header line is invalid: ${problems.join('; ')}. Accepted: ${fields.join(', ')}.`);
  return { text: `${separator ? `sep=${separator}\n` : ''}${text}`, delimiter: cells.length === 1 ? NONE : delimiter, names };
}

/**
 * Reads a CSV file once, record by record, as spreadsheets write it. Not csv-parse 7.0.3: it cuts the text of a bad record short and
 * replaces invalid UTF-8; with both worked around, an import has 0.6 of the rate.
 */
export class CsvRecords {
  header?: CsvHeader;
  private separator?: string;
  /** Lines read so far of a record whose quoted cell is still open. */
  private open: Line[] = [];
  private openLength = 0;

  constructor(private readonly collection: RecordColumns) {}

  /** @throws FileError */
  async *read(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
    for await (const lines of readLines(input)) {
      const records: SourceRecord[] = [];
      for (const line of lines) {
        if (this.header) this.add(line, this.header, records);
        else this.addHeader(line);
      }
      yield records;
    }
    if (!this.header) throw new FileError('The file is empty: a header line is required.');
    if (this.open.length > 0) yield [unreadable(this.open, 'has an unclosed double quote')];
  }

  private addHeader({ number, text: line, bytes }: Line): void {
    const text = line.replace(/\r$/, '');
    const separator = number === 1 ? /^"?sep=([^\w"])"?$/i.exec(text)?.[1] : undefined;
    if (separator) this.separator = separator;
    else if (!/^[\s,;]*$/.test(text)) this.header = parseHeader({ number, text, bytes }, this.separator, this.collection);
  }

  private add(line: Line, header: CsvHeader, records: SourceRecord[]): void {
    // The new line alone shows whether the cell stays open; parsing the whole record again for each line would be quadratic.
    if (this.open.length > 0 && 'open' in parseCells(`"${line.text}`, header.delimiter)) return this.continue(line);
    const lines = [...this.open, line];
    const text = this.open.length === 0 ? line.text : lines.map((part) => part.text).join('\n');
    const result = parseCells(text.endsWith('\r') ? text.slice(0, -1) : text, header.delimiter);
    if ('open' in result) return this.continue(line);
    this.open = [];
    this.openLength = 0;
    if (lines.some(({ bytes }) => bytes)) records.push(unreadable(lines, NOT_CSV_UTF8));
    else if ('problem' in result) records.push(unreadable(lines, result.problem));
    else {
      const count = result.cells.findLastIndex((cell) => cell.trim() !== '') + 1;
      if (count > 0) records.push({ line: lines[0].number, original: text, ...valuesOf(result.cells, count, header) });
    }
  }

  private continue(line: Line): void {
    this.open.push(line);
    this.openLength += line.text.length + 1;
    if (this.openLength <= MAX_RECORD_BYTES) return;
    throw new FileError(`line ${this.open[0].number}: the record is longer than ${MAX_RECORD_BYTES} bytes; is a double quote unclosed?`);
  }
}

/** `count` excludes empty cells at the end. */
function valuesOf(cells: string[], count: number, { names }: CsvHeader): Pick<SourceRecord, 'values' | 'unreadable'> {
  if (cells.length < names.length || count > names.length)
    return { unreadable: `has ${cells.length} cells; the header has ${names.length}` };
  const values: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) {
    const cell = cells[index];
    if (names[index] !== '') values[names[index]] = GUARDED.test(cell) ? cell.slice(1) : cell;
    else if (cell.trim() !== '') return { unreadable: 'has a value in a column without a name' };
  }
  return { values };
}

function unreadable(lines: Line[], problem: string): SourceRecord {
  const bytes = lines.flatMap((line) => [Buffer.from('\n'), line.bytes ?? Buffer.from(line.text)]).slice(1);
  return { line: lines[0].number, original: Buffer.concat(bytes), unreadable: problem };
}
