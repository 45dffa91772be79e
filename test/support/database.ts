import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { DATABASE_URL } from '../../src/config/database-url';

declare global {
  /** Which database a contract suite runs on: set by the project in jest.config.cjs. */

  var TEST_DATABASE: 'sqlite' | 'mysql';
}

/** An empty database of a test file's own. */
export interface TestDatabase {
  /** What an application needs in its environment to use it. */
  readonly env: { DATABASE_URL: string; SECRETS_KEY?: string };
  drop(): Promise<void>;
}

export const onMysql = TEST_DATABASE === 'mysql';

export function newSecretsKey(): string {
  return randomBytes(32).toString('base64');
}

export function createDatabase(): Promise<TestDatabase> {
  return onMysql ? createMysqlDatabase(process.env.TEST_MYSQL_URL!) : createSqliteDatabase();
}

/** Eight random bytes: no two files, and no two runs on one server, meet. */
export async function createMysqlDatabase(serverUrl: string): Promise<TestDatabase> {
  const url = new URL(serverUrl);
  const name = `frontdesk_test_${randomBytes(8).toString('hex')}`;
  await onServer(url, `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const ofDatabase = new URL(url);
  ofDatabase.pathname = `/${name}`;
  return {
    env: { DATABASE_URL: ofDatabase.href, SECRETS_KEY: newSecretsKey() },
    drop: () => onServer(url, `DROP DATABASE ${name}`),
  };
}

async function onServer(url: URL, statement: string): Promise<void> {
  const someDatabase = new URL(url);
  someDatabase.pathname = '/information_schema';
  const connection = await connectTo(someDatabase.href);
  await connection.query(statement);
  await connection.end();
}

/** Connects with the service's options. */
export function connectTo(databaseUrl: string): Promise<Connection> {
  const location = DATABASE_URL.parse(databaseUrl);
  if (location?.type !== 'mysql') throw new Error('This is not the address of a MySQL database.');
  return createConnection(location.server);
}

function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  return Promise.resolve({
    env: { DATABASE_URL: `sqlite:${join(folder, 'frontdesk.sqlite')}` },
    drop: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
}
