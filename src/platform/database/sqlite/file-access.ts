import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Config, ConfigError } from '../../config/config';

const OWNER_ONLY_MODE = 0o700;
const GROUP_AND_OTHERS_BITS = 0o077;
const STICKY_BIT = 0o1000;
const ROOT_UID = 0;

/** Suffixes of SQLite's files, and of the key file. */
const FILE_SUFFIXES = ['', '-wal', '-shm', '-journal', '.key'];

const logger = new Logger('Database');

/** Creates the database file if it is missing, and restricts all of the database's files to their owner. SQLite gives new files the database file's mode. */
export function restrictAccess(file: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_MODE });
  createFile(file);
  for (const suffix of FILE_SUFFIXES) restrict(file + suffix);
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
  if (!stats?.isFile() || (stats.mode & GROUP_AND_OTHERS_BITS) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    logger.warn({ message: "DATABASE_URL: other users may have access to the database's file.", path, err: error });
  }
}

function restrictFolder(folder: string, name: string): void {
  const { mode, uid } = statSync(folder);
  if ((mode & GROUP_AND_OTHERS_BITS) === 0) return;
  const files = FILE_SUFFIXES.map((suffix) => name + suffix);
  const isShared = uid !== process.getuid?.() || (mode & STICKY_BIT) !== 0 || readdirSync(folder).some((entry) => !files.includes(entry));
  if (!isShared) return chmodSync(folder, OWNER_ONLY_MODE);
  logger.warn({
    message:
      "DATABASE_URL: the database's folder is open to other users. Its mode was left alone, because the service shares it with others.",
    folder,
    mode: (mode & 0o7777).toString(8).padStart(4, '0'),
  });
}

/** @throws ConfigError when this process's user can't open the embedded database, or can't create it */
export function requireWritableDatabase({ database }: Config): void {
  if (database.type !== 'sqlite') return;
  const { file } = database;
  if (!existsSync(file)) requireAccess(existingFolder(dirname(file)), 'folder', constants.W_OK | constants.X_OK);
  else if (statSync(file).uid !== process.getuid?.()) requireAccess(file, 'file', constants.R_OK | constants.W_OK);
}

function requireAccess(path: string, kind: 'folder' | 'file', mode: number): void {
  try {
    accessSync(path, mode);
  } catch {
    const uid = process.getuid?.() ?? ROOT_UID;
    throw new ConfigError(
      `DATABASE_URL: the user ${nameOf(uid)} can't write to the ${kind} ${path}. Give it to that user: chown ${uid} ${path}`,
    );
  }
}

/** @throws ConfigError if another user owns the database: a command would leave files that the service can't open */
export function requireOwnership({ database }: Config): void {
  if (database.type !== 'sqlite') return;
  const owner = statSync(database.file, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === process.getuid?.()) return;
  if (owner === ROOT_UID) requireAccess(database.file, 'file', constants.R_OK | constants.W_OK); // a backup restored as root: the error suggests chown instead
  const name = nameOf(owner);
  throw new ConfigError(`DATABASE_URL: the database belongs to the user ${name}. Run the command as that user: runuser -u ${name} -- …`);
}

function existingFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : existingFolder(dirname(folder));
}

/** Reads /etc/passwd, because Node looks up only its own user's name, and throws if there is none, as in a container with an arbitrary uid. */
function nameOf(uid: number): string {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  const user = users.find((line) => line.split(':')[2] === String(uid));
  return user?.split(':')[0] ?? `#${uid}`;
}
