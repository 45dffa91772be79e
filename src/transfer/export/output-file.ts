import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createPart } from '../part-file';

/** Writes to standard output, or to a file that appears once complete, compressed when its name ends in .gz. */
export async function writeOutput(texts: AsyncIterable<string>, name?: string): Promise<void> {
  const source = Readable.from(texts);
  if (name === undefined) return pipeline(source, process.stdout, { end: false });
  const write = (output: Writable) => (name.endsWith('.gz') ? pipeline(source, createGzip(), output) : pipeline(source, output));
  const stats = await stat(name).catch(() => undefined);
  if (stats && !stats.isFile()) return write(createWriteStream(name)); // a device or a pipe can't be replaced
  const { path, output } = await createPart(name);
  try {
    await write(output);
    await rename(path, name);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
