import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Writes texts to a file, gzip when its name ends so; it is there once it is whole. Without a name, to standard output. */
export async function writeOutput(texts: AsyncIterable<string>, name?: string): Promise<void> {
  const source = Readable.from(texts);
  if (name === undefined) return pipeline(source, process.stdout, { end: false });
  const part = (await isReplaceable(name)) ? `${name}.part` : name;
  const output = createWriteStream(part, { mode: 0o600 });
  try {
    await (name.endsWith('.gz') ? pipeline(source, createGzip(), output) : pipeline(source, output));
    if (part !== name) await rename(part, name);
  } catch (error) {
    if (part !== name) await rm(part, { force: true });
    throw error;
  }
}

/** A device or a pipe is written to as it is. */
async function isReplaceable(name: string): Promise<boolean> {
  const stats = await stat(name).catch(() => undefined);
  return !stats || stats.isFile();
}
