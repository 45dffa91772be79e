import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Writes to standard output, or to a file that appears once complete, compressed when its name ends in .gz. */
export async function writeOutput(texts: AsyncIterable<string>, name?: string): Promise<void> {
  const source = Readable.from(texts);
  if (name === undefined) return pipeline(source, process.stdout, { end: false });
  const stats = await stat(name).catch(() => undefined);
  const part = stats && !stats.isFile() ? name : `${name}.part`; // a device or a pipe can't be replaced
  const output = createWriteStream(part, { mode: 0o600 });
  try {
    await (name.endsWith('.gz') ? pipeline(source, createGzip(), output) : pipeline(source, output));
    if (part !== name) await rename(part, name);
  } catch (error) {
    if (part !== name) await rm(part, { force: true });
    throw error;
  }
}
