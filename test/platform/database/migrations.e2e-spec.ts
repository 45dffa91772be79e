/** @mysql always */
import { createHash } from 'node:crypto';
import type { RowDataPacket } from 'mysql2/promise';
import { type DataSource, type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { createDialect, dataSourceOptions } from '../../../ormconfig';
import { Config, ConfigError } from '../../../src/platform/config/config';
import { Extensions } from '../../../src/platform/extensions/extensions';
import { Migrations } from '../../../src/platform/database/migrations';
import { withApplication } from '../../support/http/application';
import { connectTo, createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { DOMAINS, newHost } from '../../support/areas/records';

let database: TestDatabase;
let dataSource: DataSource;
let migrations: Migrations;

async function connect(extensions: Extensions): Promise<{ dataSource: DataSource; migrations: Migrations }> {
  const dialect = await createDialect(new Config(database.env));
  const connected = await dialect.createDataSource(dataSourceOptions(dialect, extensions)).initialize();
  return { dataSource: connected, migrations: new Migrations(connected, dialect) };
}

beforeEach(async () => {
  database = await createDatabase();
  ({ dataSource, migrations } = await connect(new Extensions()));
});

afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

const count = () => dataSource.migrations.length;

/** The database's own description of its tables and indexes. */
async function schema(): Promise<string[]> {
  if (!onMysql) {
    const rows: { name: string; sql: string }[] = await dataSource.query('SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL');
    return rows.filter(({ name }) => !/^(migrations|sqlite_sequence)$/.test(name)).map(({ sql }) => sql);
  }
  const tables: Record<string, string>[] = await dataSource.query('SHOW TABLES');
  const names = tables.flatMap((table) => Object.values(table)).filter((name) => name !== 'migrations');
  const created: Record<string, string>[][] = await Promise.all(names.map((name) => dataSource.query(`SHOW CREATE TABLE ${name}`)));
  return created.map(([row]) => row['Create Table']);
}

test('migrations create the schema and run once', async () => {
  expect(await migrations.run()).toHaveLength(count());
  expect((await schema()).length).toBeGreaterThanOrEqual(30);
  expect(await migrations.run()).toEqual([]);
});

test.each(['auto', 'manual'] as const)('a database from before 1.0.0 is rejected with MIGRATIONS=%s', async (mode) => {
  await migrations.run();
  await dataSource.query("UPDATE migrations SET name = 'InitialSchema1795219200000', timestamp = 1795219200000");
  const before = await schema();
  await expect(migrations.prepare(mode)).rejects.toThrow(
    /^The database was made by a commit before 1\.0\.0, .* export .* with that commit, start with an empty database, and import/,
  );
  expect(await schema()).toEqual(before);
});

const NEWER = {
  constructor: ConfigError,
  message: expect.stringMatching(
    /migrated by a newer version \(its migration DropColours_.* start that version, or restore a backup/,
  ) as string,
};

/** Of the next minor version, which only adds what this one ignores. */
class Colours1890000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE domains ADD COLUMN colour varchar(8) NOT NULL DEFAULT 'blue'");
    await runner.createIndex('domains', new TableIndex({ columnNames: ['account_id', 'colour'] }));
    await runner.query('CREATE TABLE colours (name varchar(8) PRIMARY KEY)');
  }

  down = () => Promise.resolve();
}

test('a process of this version writes during and after the next version’s migration, and restarts', async () => {
  const next = await connect(new Extensions([{ name: 'next', migrations: [Colours1890000000000] }]));
  let key = '';
  const written = new Map<number, object>();
  await withApplication(database.env, async (application) => {
    const account = await application.createAccount();
    ({ key } = account);
    const write = async () => {
      const id = await account.client.create(DOMAINS, { host: newHost() });
      const { body } = await account.client.post(`${DOMAINS}/${id}`, { scheme: 'http://', host: newHost() }).expect(200);
      expect(body).toMatchObject({ data: { id } });
      written.set(id, ((await account.client.get(`${DOMAINS}/${id}`).expect(200)).body as { data: object }).data);
      await account.client.delete(`${DOMAINS}/${await account.client.create(DOMAINS, { host: newHost() })}`).expect(200);
    };
    await write();
    let isDone = false;
    const running = next.migrations.run().finally(() => (isDone = true));
    do await write();
    while (!isDone);
    expect(await running).toEqual(['Colours1890000000000']);
    await write();
  });
  await withApplication({ ...database.env, MIGRATIONS: 'manual' }, async (application) => {
    const client = application.client(key);
    const { body } = await client.get(`${DOMAINS}?results_per_page=100`).expect(200);
    expect((body as { data: object[] }).data).toEqual([...written.values()]);
    expect(await client.create(DOMAINS, { host: newHost() })).toBeGreaterThan(0);
    const colours = await next.dataSource.query<object[]>('SELECT colour FROM domains');
    expect(colours).toEqual(Array(written.size + 1).fill({ colour: 'blue' }));
  });
  await next.dataSource.destroy();
});

test.each([
  ['1_1', true],
  ['1_10', true],
  ['2_0', true],
  ['1_0', false],
  ['0_9', false],
])('a database that requires version %s is rejected: %s', async (since, isRefused) => {
  await migrations.run();
  const add = 'INSERT INTO migrations (timestamp, name) VALUES (1890000000000, ?)';
  await dataSource.query(add, [`DropColours_Since${since}_1890000000000`]);
  const start = { auto: migrations.prepare('auto'), manual: migrations.prepare('manual'), command: migrations.run() };
  for (const started of await Promise.allSettled(Object.values(start)))
    expect(started).toMatchObject(isRefused ? { status: 'rejected', reason: NEWER } : { status: 'fulfilled' });
});

test('a start with MIGRATIONS=manual changes nothing and names the command to run', async () => {
  await expect(migrations.prepare('manual')).rejects.toThrow(/frontdesk -- migrate/);
  expect(await schema()).toEqual([]);
  await migrations.run();
  await migrations.prepare('manual');
});

test('a failed migration is reported with its statement', async () => {
  await dataSource.query('CREATE TABLE accounts (id int)');
  await expect(migrations.prepare('auto')).rejects.toThrow(
    /^The schema can't be brought up to date: .*accounts.* already exists In: CREATE TABLE [`"]accounts/,
  );
});

if (onMysql) {
  test('a migration waits for one that another process runs', async () => {
    const other = await connectTo(database.env.DATABASE_URL);
    const [[{ name }]] = await other.query<RowDataPacket[]>('SELECT DATABASE() AS name');
    const lock = `frontdesk.${createHash('sha1').update(String(name)).digest('hex')}`;
    await other.query('SELECT GET_LOCK(?, 0)', [lock]);

    const running = migrations.run();
    const waiting = "SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE db = ? AND info LIKE 'SELECT GET_LOCK%'";
    for (let found = 0; found === 0;) {
      const [[row]] = await other.query<RowDataPacket[]>(waiting, [name]);
      found = Number(row.count);
    }
    expect(await schema()).toEqual([]);

    await other.end();
    expect(await running).toHaveLength(count());
  });
}
