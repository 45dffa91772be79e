import type { RecordColumns } from '../../common/record-columns';
import { type CsvHeader, readHeader } from './csv-header';
import { readCells } from './csv-cells';
import { FileError } from '../file-error';
import { type Line, readLines } from './lines';
import { MAX_RECORD_BYTES, NOT_UTF8, type SourceRecord } from './source-record';

/**
 * Reads the records of a CSV file. Not by csv-parse 7: of a bad record it keeps the text up to the fault alone, after `"a"b`
 * it takes all that follows for one cell, bytes that are no UTF-8 it replaces without a word, and with `raw` and `info` a
 * million agendamentos take it 4.4 s a pass, and this 0.8 s.
 */
export class CsvRecords {
  /** The first line, once it is read: what mends a file begins with it. */
  header?: CsvHeader;
  private open: Line[] = [];
  private openLength = 0;

  constructor(private readonly collection: RecordColumns) {}

  /** @throws FileError */
  async *read(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord[]> {
    this.header = undefined;
    this.open = [];
    this.openLength = 0;
    for await (const lines of readLines(input)) {
      const records: SourceRecord[] = [];
      for (const line of lines) {
        if (!this.header) this.header = readHeader(line, this.collection);
        else this.add(line, this.header, records);
      }
      yield records;
    }
    if (!this.header) throw new FileError('The file is empty: a header line is required.');
    if (this.open.length > 0) yield [unreadable(this.open, 'has a quotation mark that is left open')];
  }

  /** A line is a record, or the part of one that goes on in the next. */
  private add(line: Line, header: CsvHeader, records: SourceRecord[]): void {
    if (this.open.length === 0 && line.text.trim() === '') return;
    if (this.open.length > 0 && !line.text.includes('"')) return this.leaveOpen(line);
    const lines = [...this.open, line];
    const text = this.open.length === 0 ? line.text : lines.map((part) => part.text).join('\n');
    const result = readCells(text.endsWith('\r') ? text.slice(0, -1) : text, header.delimiter);
    if ('open' in result) return this.leaveOpen(line);
    this.open = [];
    this.openLength = 0;
    if (lines.some(({ bytes }) => bytes)) records.push(unreadable(lines, NOT_UTF8));
    else if ('problem' in result) records.push(unreadable(lines, result.problem));
    else records.push(recordOf(lines[0].number, text, result.cells, header));
  }

  private leaveOpen(line: Line): void {
    this.open.push(line);
    this.openLength += line.text.length + 1;
    if (this.openLength <= MAX_RECORD_BYTES) return;
    throw new FileError(`line ${this.open[0].number}: the record is longer than ${MAX_RECORD_BYTES} bytes; is a quotation mark left open?`);
  }
}

function recordOf(line: number, original: string, cells: string[], { names }: CsvHeader): SourceRecord {
  if (cells.length !== names.length) {
    return { line, original, unreadable: `has ${count(cells.length, 'cell')}, and the header ${count(names.length, 'cell')}` };
  }
  const values: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) values[names[index]] = cells[index];
  return { line, original, values };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function unreadable(lines: Line[], problem: string): SourceRecord {
  const bytes = lines.flatMap((line, index) => [...(index > 0 ? [Buffer.from('\n')] : []), line.bytes ?? Buffer.from(line.text)]);
  return { line: lines[0].number, original: Buffer.concat(bytes), unreadable: problem };
}
