import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../config/config';

const KEY_BYTES = 32;

/** Reads the keys, newest first. Creates the file with a new key if it doesn't exist. */
export function readKeyFile(file: string): Buffer[] {
  if (!existsSync(file)) createKeyFile(file);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  if (keys.every(({ length }) => length === KEY_BYTES)) return keys;
  throw new ConfigError(`Each line of the key file ${file} must be ${KEY_BYTES} bytes in base64.`);
}

/** Adds a key and keeps the others, which stored settings still need. */
export function addToKeyFile(file: string): void {
  renameSync(writeDraft(file, [randomBytes(KEY_BYTES), ...readKeyFile(file)]), file);
}

/** Keeps the newest key and the previous one, which a concurrent write may have used. */
export function trimKeyFile(file: string): void {
  renameSync(writeDraft(file, readKeyFile(file).slice(0, 2)), file);
}

/** link(2) is atomic and fails when the file exists, so concurrent starts share the first one's key. */
function createKeyFile(file: string): void {
  const draft = writeDraft(file, [randomBytes(KEY_BYTES)]);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function writeDraft(file: string, keys: Buffer[]): string {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}
