import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordColumns } from '../../common/record-columns';
import { CsvRecords } from './csv-records';
import type { Format } from './format';
import type { InputFile } from '../import/input-file';
import { readJsonArray } from './json-records';
import { readNdjson } from './ndjson-records';
import { CHUNK } from '../import/select-among';
import type { SourceRecord } from './source-record';

const MAX_CHUNK_LENGTH = 1_024 * 1_024;

/** The records of a file. */
export class FileRecords {
  private readonly csv: CsvRecords;

  constructor(
    private readonly file: InputFile,
    readonly format: Format,
    collection: RecordColumns,
  ) {
    this.csv = new CsvRecords(collection);
  }

  /** The header line of a CSV file, once a record is read. */
  get header(): string | undefined {
    return this.csv.header?.text;
  }

  /** As many at a time as one statement takes, and no more text than a database takes at once. @throws FileError */
  async *chunks(): AsyncGenerator<SourceRecord[]> {
    let chunk: SourceRecord[] = [];
    let length = 0;
    for await (const records of this.read()) {
      for (const record of records) {
        chunk.push(record);
        length += record.original.length;
        if (chunk.length < CHUNK && length < MAX_CHUNK_LENGTH) continue;
        yield chunk;
        await nextTurn(); // so that a signal is heard: a file that is read ahead and SQLite leave the event loop none
        chunk = [];
        length = 0;
      }
    }
    if (chunk.length > 0) yield chunk;
  }

  private read(): AsyncGenerator<SourceRecord[]> {
    const input = this.file.read();
    if (this.format === 'csv') return this.csv.read(input);
    return this.format === 'ndjson' ? readNdjson(input) : readJsonArray(input);
  }
}
