/** @mysql whole */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Libsql from 'libsql';
import type { DataSource, EntityMetadata } from 'typeorm';
import { sortReferringFirst } from '../../../src/platform/database/foreign-keys';
import { UNFINISHED_MOVE } from '../../../src/platform/database/migrations';
import { createDatabase as createOn } from '../../../src/programs/sandbox/sandbox-database';
import { type TestApplication, withApplication } from '../../support/http/application';
import { type Client } from '../../support/http/client';
import { CLI_SCRIPT } from '../../support/jest/build';
import { type Outcome, runCommand } from '../../support/areas/command';
import { connectTo, DATABASE, newSecretsKey, onMysql, OTHER_DATABASE, type TestDatabase } from '../../support/servers/database';
import { createWebhook, finished, sendMessage } from '../../support/areas/deliveries';
import { receiver } from '../../support/servers/receiver';
import { DOMAINS } from '../../support/areas/records';
import { longTest } from '../../support/jest/size';

/** One key for every database of a chain, on whichever server. */
const SECRETS_KEY = newSecretsKey();
const QUIET = { DELIVERY_CONCURRENCY: '0', DEMO: 'off', CONSOLE: 'off', SECRETS_KEY };
const EVENTS = '/api/events';
const WITH_NOTES = { EXTENSIONS: join(__dirname, '../../support/extensions/notes-extension.cjs') };
const databases: TestDatabase[] = [];

const PLACES = { file: 'sqlite', tested: DATABASE, other: OTHER_DATABASE };

async function create(place: keyof typeof PLACES = 'tested', settings: Record<string, string> = {}): Promise<TestDatabase> {
  const database = await createOn(PLACES[place]);
  databases.push(database);
  return { ...database, env: { ...database.env, ...QUIET, ...settings } };
}

afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

async function move(from: TestDatabase, to: TestDatabase, ...options: string[]): Promise<Outcome> {
  const outcome = await runCommand({ ...from.env, MOVE_TO: to.env.DATABASE_URL }, ['move', ...options]);
  for (let tries = 0; tries < 3 && (isOpen(from) || isOpen(to)); tries++) await collectStatements(); // a service may run on either
  return outcome;
}

/** libsql releases a closed file once its statements are collected; a real service's process would have exited. */
async function collectStatements(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await new Promise(setImmediate);
}

/** Waits until this process no longer has the file open. */
async function released(database: TestDatabase): Promise<void> {
  while (isOpen(database)) {
    await collectStatements();
    await sleep(20);
  }
}

function isOpen({ env: { DATABASE_URL } }: TestDatabase): boolean {
  if (!DATABASE_URL.startsWith('sqlite:')) return false;
  const file = new Libsql(DATABASE_URL.slice('sqlite:'.length), { timeout: 0 });
  try {
    for (const statement of ['PRAGMA locking_mode = EXCLUSIVE', 'BEGIN', 'SELECT COUNT(*) FROM sqlite_master']) file.exec(statement);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^SQLITE_BUSY/) as string });
    return true;
  } finally {
    file.close();
  }
}

async function within<T>(database: TestDatabase, work: (application: TestApplication) => Promise<T>): Promise<T> {
  let result: T;
  try {
    await withApplication(database.env, async (application) => {
      result = await work(application);
    });
  } finally {
    await released(database);
  }
  return result!;
}

/** Names as the database quotes them. */
function parts({ driver }: DataSource, { tableName, columns, primaryColumns }: EntityMetadata) {
  const list = (given: { databaseName: string }[]) => given.map(({ databaseName }) => driver.escape(databaseName)).join(', ');
  return { table: driver.escape(tableName), columns: list(columns), order: list(primaryColumns) };
}

/** Every row of every table of a file. */
function contentOf({ env }: TestDatabase): Record<string, unknown> {
  const file = new Libsql(env.DATABASE_URL.slice('sqlite:'.length));
  const names = file
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck(true)
    .all() as string[];
  const tables = names.filter((name) => name !== 'migrations').sort();
  const content = tables.map((name) => [
    name,
    file
      .prepare(`SELECT * FROM "${name}"`)
      .all()
      .map((row) => JSON.stringify(row))
      .sort(),
  ]);
  file.close();
  return Object.fromEntries(content) as Record<string, unknown>;
}

/** Three rows in every table, as wide as its columns allow. */
async function fill({ dataSource }: TestApplication): Promise<void> {
  const ordered = sortReferringFirst(dataSource.entityMetadatas).toReversed();
  for (const metadata of ordered.toReversed()) await dataSource.query(`DELETE FROM ${parts(dataSource, metadata).table}`);
  for (const metadata of ordered) {
    const { table, columns } = parts(dataSource, metadata);
    for (const id of [1, 2, 3]) {
      const values = metadata.columns.map((column) => valueOf(column, metadata, id));
      const marks = values.map(() => '?').join(', ');
      await dataSource.query(`INSERT INTO ${table} (${columns}) VALUES (${marks})`, values);
    }
  }
}

function valueOf(column: EntityMetadata['columns'][number], { foreignKeys }: EntityMetadata, id: number): string | number | null {
  const type = typeof column.type === 'function' ? column.type.name.toLowerCase() : column.type;
  if (type === 'datetime') return ['', '2026-01-01 10:00:00.000', '2026-01-01 10:00:00.250'][id];
  if (column.isPrimary || foreignKeys.some(({ columns }) => columns.includes(column))) return /char|string/.test(type) ? `${id}` : id;
  if (column.isNullable && id === 3) return null;
  if (type === 'boolean') return id % 2;
  if (type === 'bigint') return 2 ** 40 + id;
  if (type === 'double') return id / 3;
  if (/int|number/.test(type)) return id;
  if (type === 'simple-json') return JSON.stringify({ id, text: 'Ünïcode 😀' });
  const text = `${id}é😀 "'\\%\n`;
  return column.length
    ? Array.from(text.repeat(64))
        .slice(0, Number(column.length) - 1)
        .join('')
        .trimEnd() + id
    : text;
}

async function versionOf({ env }: TestDatabase): Promise<string> {
  const connection = await connectTo(env.DATABASE_URL);
  const [rows] = await connection.query('SELECT VERSION() AS version');
  await connection.end();
  return (rows as { version: string }[])[0].version;
}

test('a move to each database and back keeps every row of every table, including an extension’s', async () => {
  const places = ['file', 'other', 'tested', 'other', 'file'] as const;
  const chain = await Promise.all(places.map((place) => create(place, WITH_NOTES)));
  if (OTHER_DATABASE !== DATABASE) {
    expect(await versionOf(chain[1])).toContain('MariaDB');
    expect(await versionOf(chain[2])).not.toContain('MariaDB');
  }
  await within(chain[0], async (application) => {
    await fill(application);
    await application.dataSource.query('UPDATE notes SET next_id = id % 3 + 1');
    await application.dataSource.query("INSERT INTO tags (tag) VALUES ('a'), ('B'), ('Ç'), ('z😀')");
  });
  const before = contentOf(chain[0]);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['deliveries', 'events', 'notes']));
  await collectStatements();
  for (const [index, to] of chain.slice(1).entries()) {
    const { code, stdout, stderr } = await move(chain[index], to);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `DATABASE_URL='${to.env.DATABASE_URL}'\n` });
    for (const table of Object.keys(before)) expect(stderr).toMatch(new RegExp(`^${table}: \\d+ rows?, the same on both sides$`, 'm'));
  }
  expect(contentOf(chain[4])).toEqual(before);
});

test('keys, entity tags and cursors stay valid after a move, and deleted ids are not reused', async () => {
  const [from, to] = [await create('file'), await create()];
  const { key, id, tag, cursor } = await within(from, async (application) => {
    const account = await application.createAccount();
    const created = await account.client.post(DOMAINS, { host: 'one.example.com' });
    const gone = await account.client.post(DOMAINS, { host: 'two.example.com' });
    await account.client.delete(`${DOMAINS}/${(gone.body as { data: { id: number } }).data.id}`);
    const { id } = (created.body as { data: { id: number } }).data;
    const events = await account.client.get(`${EVENTS}?after=oldest&limit=1`);
    return {
      key: account.key,
      id,
      tag: (await account.client.get(`${DOMAINS}/${id}`)).headers.etag,
      cursor: (events.body as { meta: { next: string } }).meta.next,
    };
  });
  expect((await move(from, to)).code).toBe(0);
  await within(to, async (application) => {
    const client: Client = application.client(key);
    expect((await client.get(`${DOMAINS}/${id}`)).headers.etag).toBe(tag);
    const { body } = await client.get(`${EVENTS}?after=${cursor}`);
    expect((body as { data: { type: string }[] }).data.map(({ type }) => type)).toEqual(['domain.created', 'domain.deleted']);
    const next = await client.post(DOMAINS, { host: 'three.example.com' });
    expect((next.body as { data: { id: number } }).data.id).toBe(id + 2);
  });
});

test('a pending delivery is sent once, by the service on the copy', async () => {
  const [from, to] = [await create('file'), await create()];
  const { key, delivery } = await within(from, async (application) => {
    const account = await application.createAccount();
    const handler = await createWebhook(account, receiver.url());
    const [delivery] = await sendMessage(account, [handler]);
    return { key: account.key, delivery };
  });
  expect((await move(from, to)).code).toBe(0);
  await within({ ...to, env: { ...to.env, DELIVERY_CONCURRENCY: '5' } }, async (application) => {
    expect(await finished({ client: application.client(key) }, delivery)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(receiver.requests).toHaveLength(1);
  });
});

test('rejects a running service, a target with records and another version, and writes nothing', async () => {
  const [from, to] = [await create('file'), await create()];
  await within(from, async () => {
    expect(await move(from, to)).toMatchObject({ code: 1, stderr: expect.stringContaining('is running on DATABASE_URL') as string });
    const copied = await move(from, await create(), '--while-running');
    expect(copied).toMatchObject({ code: 0, stderr: expect.stringContaining('This was a trial') as string });
  });
  await within(to, async (application) => void (await application.createAccount()));
  expect(await move(from, to)).toMatchObject({ code: 1, stderr: expect.stringContaining('has records in accounts') as string });
  write(from, "INSERT INTO migrations (timestamp, name) VALUES (1, 'CreateNothing1795200080000')");
  const older = await create();
  expect(await move(from, older)).toMatchObject({ code: 1, stderr: expect.stringContaining('the schema of another version') as string });
  expect(await within(older, (application) => application.rows('accounts'))).toEqual([]);
  expect(await move(from, from)).toMatchObject({ code: 1, stderr: expect.stringContaining('is the database in DATABASE_URL') as string });
});

test('a service does not start on an unfinished move, which can be run again', async () => {
  const [from, to] = [await create('file'), await create()];
  await within(from, async (application) => void (await application.createAccount()));
  await within(to, async ({ dataSource }) => {
    await dataSource.query(`INSERT INTO migrations (timestamp, name) VALUES (0, '${UNFINISHED_MOVE}')`);
    await dataSource.query("INSERT INTO accounts (name, datetime) VALUES ('half', '2026-01-01 00:00:00')");
  });
  await expect(within(to, () => Promise.resolve())).rejects.toThrow('This database is a trial copy, or a move into it has not finished');
  expect((await move(from, to)).code).toBe(0);
  const [moved, original] = [
    await within(to, (application) => application.rows('accounts')),
    await within(from, (application) => application.rows('accounts')),
  ];
  expect(moved).toEqual(original);
});

/** Writes without SQLite's checks, as other software may. */
function write({ env }: TestDatabase, ...statements: string[]): void {
  const file = new Libsql(env.DATABASE_URL.slice('sqlite:'.length));
  for (const statement of ['PRAGMA foreign_keys = OFF', ...statements]) file.exec(statement);
  file.close();
}

test('reports values that the target can’t keep by table, id and column, and copies nothing', async () => {
  const [from, to] = [await create('file'), await create()];
  await within(from, async (application) => void (await application.createAccount()));
  write(from, `UPDATE accounts SET name = '${'é'.repeat(129)}'`, 'UPDATE api_keys SET account_id = 99');
  const { code, stderr } = await move(from, to);
  const width = onMysql ? ['accounts 1: name has more than 128 characters.'] : []; // SQLite keeps it
  const problems = ['api_keys 1: refers to no row of accounts.', ...width];
  const count = onMysql ? '2 values' : 'one value';
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: [...problems, `frontdesk: Nothing was moved: --to can't keep ${count}.`, ''].join('\n'),
  });
  const left = runCommand(to.env, ['accounts', 'list']);
  expect(await left).toMatchObject({ code: 1, stderr: expect.stringContaining('has not finished') as string });
});

test('move reports a key that equals another under the collation of an extension’s table', async () => {
  const [from, to] = [await create('file', WITH_NOTES), await create('tested', WITH_NOTES)];
  await within(from, ({ dataSource }) => dataSource.query("INSERT INTO tags (tag) VALUES ('a'), ('A'), ('b')"));
  const { code, stderr } = await move(from, to);
  if (onMysql)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^tags a: tag equals another row's in the collation of --to\./i) as string,
    });
  else expect(code).toBe(0); // SQLite compares bytes
});

test('moves a key file to another key file, or prints it as SECRETS_KEY', async () => {
  const withoutKey = (database: TestDatabase): TestDatabase => ({ ...database, env: { ...database.env, SECRETS_KEY: '' } });
  const [from, file, other] = [withoutKey(await create('file')), withoutKey(await create('file')), await create()];
  const { key, handler } = await within(from, async (application) => {
    const account = await application.createAccount();
    return { key: account.key, handler: await createWebhook(account, receiver.url('/secret')) };
  });
  const keyFile = `${file.env.DATABASE_URL.slice('sqlite:'.length)}.key`;
  writeFileSync(keyFile, newSecretsKey());
  expect(await move(from, file)).toMatchObject({ code: 1, stderr: expect.stringContaining('has other keys: move it away') as string });
  rmSync(keyFile);
  const read = ({ client }: { client: Client }) => client.get(`/api/notification-handler/${handler}`);
  for (const to of [file, other]) {
    const { code, stdout, stderr } = await move(from, to);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const [, secret] = /SECRETS_KEY='(.*)'/.exec(stdout) ?? [];
    expect(secret === undefined).toBe(to === file || !onMysql);
    const env = { ...to.env, SECRETS_KEY: secret ?? '' };
    const settings = await within({ ...to, env }, async (application) => (await read({ client: application.client(key) })).text);
    expect(settings).toContain('/secret');
  }
});

const KILLS = onMysql ? 6 : 20;
const ROWS = 40_000;

longTest(
  'after a SIGKILL at any moment no service starts on the target, and the move can be run again',
  async () => {
    const from = await create('file');
    await within(from, () => Promise.resolve());
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
    const columns = 'datetime, account_id, action, record, is_audited, is_by_service';
    write(from, `${numbers} INSERT INTO events (${columns}) SELECT '2026-01-01 00:00:00', 1, 'create', 'domain', 1, 0 FROM n`);
    await collectStatements();
    const start = (target: TestDatabase) =>
      spawn(process.execPath, [CLI_SCRIPT, 'move', '--to', target.env.DATABASE_URL], { env: { PATH: process.env.PATH, ...from.env } });
    const begin = Date.now();
    expect(await once(start(await create()), 'exit')).toEqual([0, null]);
    const whole = Date.now() - begin; // on this machine, at this moment
    let to = await create();
    let unfinished = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const child = start(to);
      const ended = once(child, 'exit');
      if (kill % 2 === 0) await Promise.race([sleep((whole * kill) / KILLS), ended]);
      else for await (const text of child.stderr) if (String(text).includes('Copying')) break;
      child.kill('SIGKILL');
      await ended;
      const { code, stderr } = await runCommand(to.env, ['migrate']);
      await collectStatements();
      if (code !== 0) {
        expect(stderr).toContain('This database is a trial copy, or a move into it has not finished');
        unfinished++;
        continue;
      }
      const { length } = await within(to, (application) => application.rows('events'));
      expect([0, ROWS]).toContain(length); // not started, or killed after its last statement
      if (length === ROWS) to = await create();
    }
    expect(unfinished).toBeGreaterThan(0);
    expect((await move(from, to)).code).toBe(0);
    expect(await within(to, (application) => application.rows('events'))).toHaveLength(ROWS);
  },
  600_000, // a kill at each part of a move, then that move again
);
