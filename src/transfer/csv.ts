import type { RecordColumns } from '../common/records';
import { FileError, type Line, MAX_RECORD_BYTES, NOT_UTF8, printable, readLines, type SourceRecord } from './source';

/** The cells of a CSV record; `open` when its last quoted cell continues on the next line. */
type Cells = { cells: string[] } | { open: true } | { problem: string };

const QUOTED = ' *"([^"]*(?:""[^"]*)*)';
/** Compiled once per delimiter: a quoted cell, a plain cell, or a quoted cell that is still open. */
const PATTERNS = new Map([',', ';', '\t'].map((delimiter) => [delimiter, cellPattern(delimiter)]));
const DELIMITERS = [...PATTERNS.keys()];

/** Parses a record by RFC 4180, plus spaces around a quoted cell. Most records have no double quote and are just split. */
export function parseCells(text: string, delimiter: string): Cells {
  if (!text.includes('"')) return { cells: text.split(delimiter) };
  const pattern = PATTERNS.get(delimiter) ?? cellPattern(delimiter);
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

function cellPattern(delimiter: string): RegExp {
  const end = `(?=${delimiter}|$)`;
  return new RegExp(`${QUOTED}"\\s*?${end}|([^"${delimiter}]*)${end}|(${QUOTED}$)`, 'y');
}

export function encodeCell(value: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

interface CsvHeader {
  text: string;
  delimiter: string;
  names: string[];
}

/** @throws FileError for an unknown, duplicate or missing column */
function parseHeader({ text, bytes }: Line, { fields, columns }: RecordColumns): CsvHeader {
  if (bytes) throw new FileError('The header line is not UTF-8.');
  const line = text.trim();
  const delimiter = DELIMITERS.toSorted((a, b) => line.split(b).length - line.split(a).length)[0];
  const result = parseCells(line, delimiter);
  if (!('cells' in result)) throw new FileError("The header line can't be parsed: misplaced double quote.");
  const names = result.cells.map((cell) => cell.trim());
  const required = columns.filter(({ fallback }) => fallback === undefined).map(({ name }) => name);
  const invalid = {
    unknown: names.filter((name) => !fields.includes(name)),
    duplicate: names.filter((name, index) => names.indexOf(name) < index),
    missing: required.filter((name) => !names.includes(name)),
  };
  const problems = Object.entries(invalid)
    .filter(([, found]) => found.length > 0)
    .map(([problem, found]) => `${problem}: ${[...new Set(found)].map(printable).join(', ')}`);
  if (problems.length > 0) throw new FileError(`The header line is invalid: ${problems.join('; ')}. Accepted: ${fields.join(', ')}.`);
  return { text: line, delimiter, names };
}

/**
 * Reads a CSV file once, record by record. Not csv-parse 7: it truncates the text of a bad record, reads the rest of the file
 * as one cell after `"a"b`, silently replaces invalid UTF-8, and with `raw` and `info` takes 4.4 s for a million agendamentos
 * instead of 0.8 s.
 */
export class CsvRecords {
  header?: CsvHeader;
  /** Lines read so far of a record whose quoted cell is still open. */
  private open: Line[] = [];
  private openLength = 0;

  constructor(private readonly collection: RecordColumns) {}

  /** @throws FileError */
  async *read(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
    for await (const lines of readLines(input)) {
      const records: SourceRecord[] = [];
      for (const line of lines) {
        if (!this.header) this.header = parseHeader(line, this.collection);
        else this.add(line, this.header, records);
      }
      yield records;
    }
    if (!this.header) throw new FileError('The file is empty: a header line is required.');
    if (this.open.length > 0) yield [unreadable(this.open, 'has an unclosed double quote')];
  }

  private add(line: Line, header: CsvHeader, records: SourceRecord[]): void {
    if (this.open.length === 0 && line.text.trim() === '') return;
    // The new line alone shows whether the cell stays open; parsing the whole record again for each line would be quadratic.
    if (this.open.length > 0 && 'open' in parseCells(`"${line.text}`, header.delimiter)) return this.continue(line);
    const lines = [...this.open, line];
    const text = this.open.length === 0 ? line.text : lines.map((part) => part.text).join('\n');
    const result = parseCells(text.endsWith('\r') ? text.slice(0, -1) : text, header.delimiter);
    if ('open' in result) return this.continue(line);
    this.open = [];
    this.openLength = 0;
    if (lines.some(({ bytes }) => bytes)) records.push(unreadable(lines, NOT_UTF8));
    else if ('problem' in result) records.push(unreadable(lines, result.problem));
    else records.push(recordOf(lines[0].number, text, result.cells, header));
  }

  private continue(line: Line): void {
    this.open.push(line);
    this.openLength += line.text.length + 1;
    if (this.openLength <= MAX_RECORD_BYTES) return;
    throw new FileError(`line ${this.open[0].number}: the record is longer than ${MAX_RECORD_BYTES} bytes; is a double quote unclosed?`);
  }
}

function recordOf(line: number, original: string, cells: string[], { names }: CsvHeader): SourceRecord {
  const values: Record<string, unknown> = {};
  if (cells.length !== names.length) return { line, original, unreadable: `has ${cells.length} cells; the header has ${names.length}` };
  for (let index = 0; index < names.length; index++) values[names[index]] = cells[index];
  return { line, original, values };
}

function unreadable(lines: Line[], problem: string): SourceRecord {
  const bytes = lines.flatMap((line) => [Buffer.from('\n'), line.bytes ?? Buffer.from(line.text)]).slice(1);
  return { line: lines[0].number, original: Buffer.concat(bytes), unreadable: problem };
}
