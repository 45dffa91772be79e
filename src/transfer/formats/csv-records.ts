import type { RecordColumns } from '../../common/record-columns';
import { parseCells } from './csv-cells';
import { type CsvHeader, parseHeader } from './csv-header';
import { type Line, readLines } from './lines';
import { FileError, MAX_RECORD_BYTES, NOT_UTF8, type SourceRecord } from './source-record';

/**
 * Reads a CSV file once, record by record. Not csv-parse 7: it truncates the text of a bad record, reads the rest of the file
 * as one cell after `"a"b`, silently replaces invalid UTF-8, and with `raw` and `info` takes 4.4 s for a million agendamentos
 * instead of 0.8 s.
 */
export class CsvRecords {
  header?: CsvHeader;
  /** Lines so far of a record whose quoted cell is still open. */
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
    // The line alone shows whether the cell stays open: parsing the record anew with each line would be quadratic.
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
