/** @mysql whole */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { Clock } from '../../../../src/platform/common/clock';
import { DATABASE_URL } from '../../../../src/platform/config/database-url';
import { schemaDrift } from '../../../../src/platform/database/migrations';
import { type TestApplication, withApplication } from '../../../support/http/application';
import { connectTo, createDatabase, onMysql, type TestDatabase } from '../../../support/servers/database';
import { DOMAINS } from '../../../support/areas/records';

/** Written by scripts/frozen-database.mjs. */
interface Released {
  /** The time of the last answer, in milliseconds since 1970. */
  now: number;
  env: Record<string, string>;
  key: string;
  answers: Answer[];
}

interface Answer {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  status: number;
  etag: string | null;
  body: string;
}

const versions = readdirSync(__dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());

async function restore({ env }: TestDatabase, folder: string): Promise<Released> {
  const name = onMysql ? await kindOf(env.DATABASE_URL) : 'sqlite';
  if (onMysql) await execute(env.DATABASE_URL, readFileSync(join(folder, `${name}.sql`), 'utf8'));
  else writeFileSync(env.DATABASE_URL.slice('sqlite:'.length), gunzipSync(readFileSync(join(folder, 'sqlite.gz'))));
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Released;
}

async function kindOf(url: string): Promise<'mariadb' | 'mysql'> {
  const connection = await connectTo(url);
  const [rows] = await connection.query('SELECT VERSION() AS version');
  await connection.end();
  return (rows as { version: string }[])[0].version.includes('MariaDB') ? 'mariadb' : 'mysql';
}

async function execute(url: string, statements: string): Promise<void> {
  const location = DATABASE_URL.parse(url) as { server: object };
  const connection = await createConnection({ ...location.server, multipleStatements: true });
  await connection.query(statements);
  await connection.end();
}

/** Repeats a recorded request. */
async function ask(application: TestApplication, key: string, { method = 'GET', path, headers = {}, form }: Answer) {
  const request = application.client(key).send(method, path).set(headers);
  const { status, headers: answered, text } = await (form ? request.type('form').send(form) : request);
  return { status, etag: answered.etag ?? null, body: text };
}

test.each(versions.map(({ name }) => name))('a database of version %s is migrated and gives the same responses', async (version) => {
  const database = await createDatabase();
  const { now, env, key, answers } = await restore(database, join(__dirname, version));
  jest.spyOn(Clock.prototype, 'now').mockReturnValue(now); // nothing has expired, and nothing is due
  await withApplication({ ...database.env, ...env, DEMO: 'off', DELIVERY_CONCURRENCY: '0' }, async (application) => {
    const { dataSource } = application;
    const done = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
    expect(done.map(({ name }) => name)).toEqual(dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name));
    expect(await schemaDrift(dataSource)).toEqual([]);

    expect(answers.length).toBeGreaterThan(50);
    for (const answer of answers) {
      const { status, etag, body } = answer;
      expect({ path: answer.path, ...(await ask(application, key, answer)) }).toEqual({ path: answer.path, status, etag, body });
    }
    const last = Math.max(...(await application.rows('domains')).map(({ id }) => Number(id)));
    expect(await application.client(key).create(DOMAINS, { host: 'next.example.com' })).toBe(last + 1);
  });
  await database.drop();
});
