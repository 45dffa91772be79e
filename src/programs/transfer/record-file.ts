import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createWriteStream, type ReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { RecordColumns } from '../../platform/common/records';
import { CsvRecords } from './csv';
import { readJsonArray, readNdjson } from './json';
import { FileError, type Format, type SourceRecord } from './source';

/** Records checked or written by one statement. A power of four, to which `inList` adds no padding. */
const CHUNK = 1_024;
/** Keeps a statement below MySQL's max_allowed_packet. */
const MAX_CHUNK_LENGTH = 1_024 * 1_024;

const READ_BYTES = 256 * 1_024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The records of a file, which can be read more than once: a stream such as standard input is spooled to a temporary file. */
export class RecordFile {
  private csv?: CsvRecords;
  private reading?: ReadStream;

  private constructor(
    private readonly handle: FileHandle,
    private readonly size: number,
    private readonly isGzip: boolean,
    private readonly format: Format,
    private readonly collection: RecordColumns,
  ) {}

  /** `-` is standard input. @throws FileError */
  static async open(name: string, format: Format, collection: RecordColumns): Promise<RecordFile> {
    const handle = name === '-' ? await spool(process.stdin) : await openFile(name);
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
    return new RecordFile(handle, size, bytesRead === GZIP_MAGIC.length && buffer.equals(GZIP_MAGIC), format, collection);
  }

  /** The header line of a CSV file, available once a record has been read. */
  get header(): string | undefined {
    return this.csv?.header?.text;
  }

  /** Fraction of the file read so far. */
  get fractionRead(): number {
    return this.size === 0 ? 1 : Math.min(1, (this.reading?.bytesRead ?? 0) / this.size);
  }

  /** Reads the file from its beginning, in chunks of records. @throws FileError */
  async *chunks(): AsyncGenerator<SourceRecord[]> {
    let chunk: SourceRecord[] = [];
    let length = 0;
    for await (const records of this.records()) {
      for (const record of records) {
        chunk.push(record);
        length += record.original.length;
        if (chunk.length < CHUNK && length < MAX_CHUNK_LENGTH) continue;
        yield chunk;
        await yieldToEventLoop(); // so that signals are handled: buffered input and SQLite never yield to the event loop
        chunk = [];
        length = 0;
      }
    }
    if (chunk.length > 0) yield chunk;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private records(): AsyncGenerator<SourceRecord[]> {
    if (this.format === 'ndjson') return readNdjson(this.bytes());
    if (this.format === 'json') return readJsonArray(this.bytes());
    this.csv = new CsvRecords(this.collection);
    return this.csv.read(this.bytes());
  }

  private async *bytes(): AsyncGenerator<Buffer> {
    this.reading = this.handle.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES });
    if (!this.isGzip) return yield* this.reading;
    const gunzip = createGunzip({ chunkSize: READ_BYTES });
    this.reading.on('error', (error) => gunzip.destroy(error));
    try {
      yield* this.reading.pipe(gunzip);
    } catch (error) {
      throw /^Z_/.test(String((error as NodeJS.ErrnoException).code)) ? new FileError('The gzip data is corrupt or truncated.') : error;
    }
  }
}

async function openFile(name: string): Promise<FileHandle> {
  const handle = await open(name).catch((error: NodeJS.ErrnoException) => {
    throw new FileError(`${name} can't be opened: ${error.code}.`);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) throw new FileError(`${name} is a directory.`);
  return stats.isFile() ? handle : spool(handle.createReadStream());
}

/** Copies a stream to a temporary file, which is unlinked before it is filled, so that it is freed however the process ends. */
async function spool(input: NodeJS.ReadableStream): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'frontdesk-import-'));
  try {
    const handle = await open(join(folder, 'input'), 'wx+', 0o600);
    await rm(folder, { recursive: true });
    await pipeline(input, createWriteStream('', { fd: handle.fd, autoClose: false }));
    return handle;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
