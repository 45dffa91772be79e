import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline as pipe } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { RecordColumns } from '../../platform/common/records';
import { readCsv } from './csv';
import { readJsonArray, readNdjson } from './json';
import { TransferError, type Format, type SourceRecord } from './source';

/** Records checked or written by one statement. A power of four, to which `inList` adds no padding. */
const RECORDS_PER_CHUNK = 1_024;
/** Keeps a statement below MySQL's max_allowed_packet. Approximate, because it counts characters read, and the parsers read ahead. */
const MAX_CHUNK_LENGTH = 1_024 * 1_024;

const SAVE_AS_UTF8 = ': save it as "CSV UTF-8" in Excel, or with the character set "Unicode (UTF-8)" in LibreOffice';

const READ_BYTES = 256 * 1_024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The records of a file, which can be read more than once: a stream such as standard input is spooled to a temporary file. */
export class RecordFile {
  private charactersRead = 0;
  private bytesRead = 0;

  private constructor(
    private readonly handle: FileHandle,
    private readonly size: number,
    private readonly isGzip: boolean,
    private readonly format: Format,
    private readonly collection: RecordColumns,
  ) {}

  /** `-` is standard input. @throws TransferError */
  static async open(name: string, format: Format, collection: RecordColumns): Promise<RecordFile> {
    const handle = name === '-' ? await spool(process.stdin) : await openFile(name);
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
    return new RecordFile(handle, size, bytesRead === GZIP_MAGIC.length && buffer.equals(GZIP_MAGIC), format, collection);
  }

  /** Fraction of the file read so far. */
  get fractionRead(): number {
    return this.size === 0 ? 1 : Math.min(1, this.bytesRead / this.size);
  }

  /** Reads the file from its beginning, in chunks of records. @throws TransferError */
  async *chunks(): AsyncGenerator<SourceRecord[]> {
    let chunk: SourceRecord[] = [];
    let start = this.charactersRead;
    for await (const record of this.records()) {
      chunk.push(record);
      if (chunk.length < RECORDS_PER_CHUNK && this.charactersRead - start < MAX_CHUNK_LENGTH) continue;
      yield chunk;
      await yieldToEventLoop(); // so that signals are handled: buffered input and SQLite never yield to the event loop
      chunk = [];
      start = this.charactersRead;
    }
    if (chunk.length > 0) yield chunk;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private records(): AsyncGenerator<SourceRecord> {
    if (this.format === 'ndjson') return readNdjson(this.texts());
    if (this.format === 'json') return readJsonArray(this.texts());
    return readCsv(() => this.texts(), this.collection);
  }

  /** The file's text, without a BOM. */
  private async *texts(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const decode = (bytes?: Buffer) => {
      try {
        return decoder.decode(bytes, { stream: bytes !== undefined });
      } catch {
        throw new TransferError(`The file is not UTF-8${this.format === 'csv' ? SAVE_AS_UTF8 : ''}.`);
      }
    };
    for await (const bytes of this.bytes()) {
      const text = decode(bytes);
      this.charactersRead += text.length;
      yield text;
    }
    yield decode();
  }

  private async *bytes(): AsyncGenerator<Buffer> {
    if (!this.isGzip) return yield* this.storedBytes();
    const gunzip = createGunzip({ chunkSize: READ_BYTES });
    pipe(this.storedBytes(), gunzip, () => undefined); // the loop throws its errors
    try {
      yield* gunzip;
    } catch (error) {
      throw /^Z_/.test(String((error as NodeJS.ErrnoException).code)) ? new TransferError('The gzip data is corrupt or truncated.') : error;
    }
  }

  /** Not a ReadStream: one that isn't read to its end closes the file. */
  private async *storedBytes(): AsyncGenerator<Buffer> {
    for (let position = 0; ;) {
      const { buffer, bytesRead } = await this.handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      this.bytesRead = position;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

async function openFile(name: string): Promise<FileHandle> {
  const handle = await open(name).catch((error: NodeJS.ErrnoException) => {
    throw new TransferError(`${name} can't be opened: ${error.code}.`);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) throw new TransferError(`${name} is a directory.`);
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
