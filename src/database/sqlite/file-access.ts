import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Logger } from '@nestjs/common';

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** SQLite's files, and the key file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.key'];

const logger = new Logger('Database');

/** Creates the database's file if it is missing, and restricts what is there to its owner. SQLite gives its other files the same mode. */
export function restrictAccess(file: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  createFile(file);
  for (const suffix of SUFFIXES) restrict(file + suffix);
  restrictFolder(folder, basename(file));
}

/** Never opens an existing file: closing it would release this process's locks on it (https://sqlite.org/howtocorrupt.html, 2.2). */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function restrict(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || (stats.mode & OTHERS) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    logger.warn({ message: "DATABASE_URL: other users may have access to the database's file.", path, err: error });
  }
}

function restrictFolder(folder: string, name: string): void {
  const { mode, uid } = statSync(folder);
  if ((mode & OTHERS) === 0) return;
  const own = SUFFIXES.map((suffix) => name + suffix);
  const isShared = uid !== process.getuid?.() || (mode & STICKY) !== 0 || readdirSync(folder).some((entry) => !own.includes(entry));
  if (!isShared) return chmodSync(folder, OWNER_ONLY);
  logger.warn({
    message: "DATABASE_URL: the database's folder is open to other users, and unchanged because it isn't the service's alone.",
    folder,
    mode: (mode & 0o7777).toString(8).padStart(4, '0'),
  });
}
