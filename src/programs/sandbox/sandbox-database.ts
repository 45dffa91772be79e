import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, createConnection } from 'mysql2/promise';
import { ConfigError } from '../../platform/config/config';
import { DATABASE_URL } from '../../platform/config/database-url';

/** A database for one sandbox, created empty. */
export interface SandboxDatabase {
  env: Record<string, string>;
  drop(): Promise<void>;
}

const INVALID_DATABASE = 'The database of a sandbox must be sqlite, or mysql://user:password@host:port without a database name.';
const folders = new Set<string>();

/** @throws ConfigError */
export function createDatabase(url: string): Promise<SandboxDatabase> {
  return url === 'sqlite' ? Promise.resolve(createFile()) : createOnServer(url);
}

function createFile(): SandboxDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-sandbox-'));
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(folder);
  return { env: { DATABASE_URL: `sqlite:${join(folder, 'frontdesk.sqlite')}` }, drop: () => Promise.resolve(remove(folder)) };
}

/** Runs on exit, since a test runner may call process.exit(). */
function removeAll(): void {
  folders.forEach(remove);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
  if (folders.size === 0) process.off('exit', removeAll);
}

async function createOnServer(serverUrl: string): Promise<SandboxDatabase> {
  const name = `frontdesk_sandbox_${randomBytes(8).toString('hex')}`;
  const url = URL.parse(serverUrl);
  if (!url || !/^\/?$/.test(url.pathname)) throw new ConfigError(INVALID_DATABASE);
  url.pathname = `/${name}`;
  const location = DATABASE_URL.parse(url.href);
  if (location?.type !== 'mysql') throw new ConfigError(INVALID_DATABASE);
  const server = { ...location.server, database: undefined };
  await execute(server, `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  return {
    env: { DATABASE_URL: url.href, SECRETS_KEY: randomBytes(32).toString('base64') },
    drop: () => execute(server, `DROP DATABASE ${name}`),
  };
}

async function execute(server: ConnectionOptions, statement: string): Promise<void> {
  const connection = await createConnection(server);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
