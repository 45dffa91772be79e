import { randomBytes } from 'node:crypto';
import { type Connection, createConnection } from 'mysql2/promise';
import { DATABASE_URL } from '../../../src/platform/config/database-url';
import { createDatabase as createOn, type SandboxDatabase } from '../../../src/programs/sandbox/sandbox-database';

declare global {
  /** Which database a contract suite runs on: set by the project in jest.config.cjs. */

  var TEST_DATABASE: 'sqlite' | 'mysql';
}

/** An empty database of a test file's own, and what an application needs in its environment to use it. */
export type TestDatabase = SandboxDatabase;

export const onMysql = TEST_DATABASE === 'mysql';

export function newSecretsKey(): string {
  return randomBytes(32).toString('base64');
}

/** Where sandboxes make their databases. */
export const DATABASE = onMysql ? process.env.TEST_MYSQL_URL! : 'sqlite';

/** The MariaDB beside MySQL's own server, if both are there; else DATABASE. */
export const OTHER_DATABASE = (onMysql && process.env.TEST_OTHER_MYSQL_URL) || DATABASE;

export function createDatabase(): Promise<TestDatabase> {
  return createOn(DATABASE);
}

/** Connects with the service's options. */
export function connectTo(databaseUrl: string): Promise<Connection> {
  const location = DATABASE_URL.parse(databaseUrl);
  if (location?.type !== 'mysql') throw new Error('This is not the address of a MySQL database.');
  return createConnection(location.server);
}
