import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../../config/config';

const KEY_BYTES = 32;

/** The keys that the embedded database's secrets are encrypted under, the newest first: one is made at the first start, readable by its owner alone. */
export function readOrCreateKeyFile(file: string): Buffer[] {
  const keys = readKeyFile(file) ?? createKeyFile(file);
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new ConfigError(`The key file ${file} must hold ${KEY_BYTES} bytes in base64, on each of its lines.`);
  }
  return keys;
}

/** Puts a new key before the others, which stay: what is stored is under them. */
export function addToKeyFile(file: string): void {
  renameSync(writeDraft(file, [randomBytes(KEY_BYTES), ...readOrCreateKeyFile(file)]), file);
}

/** Leaves the newest key, and the one before: what a process was writing meanwhile may yet be under it. */
export function trimKeyFile(file: string): void {
  renameSync(writeDraft(file, readOrCreateKeyFile(file).slice(0, 2)), file);
}

function readKeyFile(file: string): Buffer[] | undefined {
  try {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => Buffer.from(line, 'base64'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Linking is atomic and fails when the file exists: of processes that start at once, all take the key of the first. */
function createKeyFile(file: string): Buffer[] {
  const draft = writeDraft(file, [randomBytes(KEY_BYTES)]);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readKeyFile(file)!;
}

function writeDraft(file: string, keys: Buffer[]): string {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}
