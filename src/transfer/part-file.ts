import { randomBytes } from 'node:crypto';
import { constants, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** A file under construction, to be renamed once complete. */
export interface PartFile {
  path: string;
  output: WriteStream;
}

/**
 * Creates `<name>.<random>.part`. In a shared folder, a predictable name or an existing file could be someone else's symbolic link;
 * a random name also ignores what a killed command left.
 */
export async function createPart(name: string): Promise<PartFile> {
  const path = `${name}.${randomBytes(6).toString('hex')}.part`;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  return { path, output: file.createWriteStream() };
}
