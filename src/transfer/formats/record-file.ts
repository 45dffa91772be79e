import { setImmediate as nextTick } from 'node:timers/promises';
import type { RecordColumns } from '../../common/record-columns';
import type { InputFile } from '../import/input-file';
import { CsvRecords } from './csv-records';
import type { Format } from './format';
import { readJsonArray, readNdjson } from './json-records';
import type { SourceRecord } from './source-record';

/** Records checked or written by one statement. */
export const CHUNK = 500;
/** Keeps a statement below MySQL's max_allowed_packet. */
const MAX_CHUNK_LENGTH = 1_024 * 1_024;

/** The records of a file, which can be read more than once. */
export class RecordFile {
  private csv?: CsvRecords;

  constructor(
    private readonly file: InputFile,
    private readonly format: Format,
    private readonly collection: RecordColumns,
  ) {}

  /** The header line of a CSV file, available once a record has been read. */
  get header(): string | undefined {
    return this.csv?.header?.text;
  }

  /** Fraction of the file read so far. */
  get fractionRead(): number {
    return this.file.fractionRead;
  }

  /** @throws FileError */
  async *chunks(): AsyncGenerator<SourceRecord[]> {
    let chunk: SourceRecord[] = [];
    let length = 0;
    for await (const records of this.read()) {
      for (const record of records) {
        chunk.push(record);
        length += record.original.length;
        if (chunk.length < CHUNK && length < MAX_CHUNK_LENGTH) continue;
        yield chunk;
        await nextTick(); // so that signals are handled: buffered input and SQLite never yield to the event loop
        chunk = [];
        length = 0;
      }
    }
    if (chunk.length > 0) yield chunk;
  }

  private read(): AsyncGenerator<SourceRecord[]> {
    const input = this.file.read();
    if (this.format === 'ndjson') return readNdjson(input);
    if (this.format === 'json') return readJsonArray(input);
    this.csv = new CsvRecords(this.collection);
    return this.csv.read(input);
  }
}
