import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../config';

const KEY_BYTES = 32;

/** The key that the embedded database's secrets are encrypted under: made at the first start, readable by its owner alone. */
export function readOrCreateKeyFile(file: string): Buffer {
  const key = readKeyFile(file) ?? createKeyFile(file);
  if (key.length !== KEY_BYTES) throw new ConfigError(`The key file ${file} must hold ${KEY_BYTES} bytes in base64.`);
  return key;
}

function readKeyFile(file: string): Buffer | undefined {
  try {
    return Buffer.from(readFileSync(file, 'utf8'), 'base64');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Linking is atomic and fails when the file exists: of processes that start at once, all take the key of the first. */
function createKeyFile(file: string): Buffer {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readKeyFile(file)!;
}
