import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { once } from 'node:events';
import type { Format, SourceRecord } from './source';

/**
 * Creates `<name>.<random>.part`, to be renamed once complete. In a shared folder, a predictable name could be another user's symbolic link;
 * a random name also avoids leftovers of a killed command.
 */
async function createPartFile(name: string): Promise<{ path: string; output: WriteStream }> {
  const path = `${name}.${randomBytes(6).toString('hex')}.part`;
  const file = await open(path, 'wx', 0o600);
  const output = file.createWriteStream();
  output.on('error', () => undefined); // such as a full disk; the next write, or the end, throws it
  return { path, output };
}

/** Writes to standard output, or to a file that appears once complete, compressed when its name ends in .gz. */
export async function writeOutput(texts: AsyncIterable<string>, name?: string): Promise<void> {
  const source = Readable.from(texts);
  if (name === undefined) return pipeline(source, process.stdout, { end: false });
  const write = (output: Writable) => (name.endsWith('.gz') ? pipeline(source, createGzip(), output) : pipeline(source, output));
  const stats = await stat(name).catch(() => undefined);
  if (stats && !stats.isFile()) return write(createWriteStream(name)); // a device or pipe can't be replaced by renaming
  const { path, output } = await createPartFile(name);
  try {
    await write(output);
    await rename(path, name);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** A file of the rejected records, to be corrected and imported. It appears once complete. */
export class BadRecords {
  private part?: { path: string; output: WriteStream };

  /** `close` may change `name`: if `agenda.bad.csv` exists and may not be replaced, it becomes `agenda.bad-2.csv`. */
  constructor(
    public name: string,
    private readonly format: Format,
    private readonly mayReplace = false,
  ) {}

  async add({ encode, header }: SourceRecord): Promise<void> {
    const start = this.format === 'json' ? '[\n' : header === undefined ? '' : `${header}\n`;
    const separator = this.format === 'json' ? ',\n' : '\n';
    const prefix = this.part ? separator : start;
    this.part ??= await createPartFile(this.name);
    const { output } = this.part;
    if (output.errored) throw output.errored;
    if (!output.write(`${prefix}${encode()}`)) await once(output, 'drain');
  }

  async close(): Promise<void> {
    if (!this.part) return;
    const { path, output } = this.part;
    output.end(this.format === 'json' ? '\n]\n' : '\n');
    await finished(output);
    if (!this.mayReplace) this.name = await reserve(this.name);
    await rename(path, this.name);
  }

  async discard(): Promise<void> {
    if (!this.part) return;
    this.part.output.destroy();
    await rm(this.part.path, { force: true });
  }
}

/** Creates an empty file of this name or the next free one: an existing file may hold records being corrected. */
async function reserve(name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : name.replace(/(\.[a-z]+)?$/, `-${number}$1`);
    try {
      await (await open(candidate, 'wx', 0o600)).close();
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
