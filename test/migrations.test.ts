import { createHash } from 'node:crypto';
import type { RowDataPacket } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { createDialect, dataSourceOptions } from '../ormconfig';
import { Config } from '../src/platform/config/config';
import { Extensions } from '../src/platform/extensions/extensions';
import type { Dialect } from '../src/platform/database/dialect';
import { Migrations } from '../src/platform/database/migrations';
import { connectTo, createDatabase, onMysql, type TestDatabase } from './support/database';

let database: TestDatabase;
let dialect: Dialect;
let dataSource: DataSource;
let migrations: Migrations;

beforeEach(async () => {
  database = await createDatabase();
  dialect = createDialect(new Config(database.env));
  dataSource = await dialect.createDataSource(dataSourceOptions(dialect, new Extensions())).initialize();
  migrations = new Migrations(dataSource, dialect);
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

test('up, down and up again', async () => {
  expect(await migrations.run()).toHaveLength(count());
  const migrated = await schema();
  expect(migrated.length).toBeGreaterThanOrEqual(6);
  expect(await migrations.run()).toEqual([]);

  for (let step = 0; step < count(); step++) await migrations.revert();
  expect(await schema()).toEqual([]);

  expect(await migrations.run()).toHaveLength(count());
  expect(await schema()).toEqual(migrated);
});

/** Reverts everything newer than a migration, whatever a team has added. */
async function goBackTo(name: string): Promise<void> {
  const newest = async () => (await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1'))[0].name;
  while (!(await newest()).startsWith(name)) await migrations.revert();
}

test('a revert that would lose data names it and needs confirmation', async () => {
  await migrations.run();
  await goBackTo('AuditIds');
  await dataSource.query("INSERT INTO accounts (name, datetime) VALUES ('acme', '2026-01-01 00:00:00')");
  await dataSource.query("UPDATE accounts SET disabled_datetime = '2026-01-02 00:00:00'");
  await dataSource.query(
    "INSERT INTO audit (datetime, account_id, action, record) VALUES ('2026-01-01 00:00:00', 1, 'create', 'account'), ('2026-01-01 00:00:01', 1, 'create', 'key')",
  );
  const audited = () => dataSource.query<{ id: unknown }[]>('SELECT * FROM audit');
  const before = await audited();

  await migrations.revert(); // the ids of the audit: nothing is lost
  await expect(migrations.revert()).rejects.toThrow(
    /^Reverting KeysAndAccounts\d+ would lose accounts\.disabled_datetime \(1 values\)\. .*--drop-data$/,
  );
  expect(await dataSource.query('SELECT disabled_datetime FROM accounts')).toEqual([{ disabled_datetime: '2026-01-02 00:00:00' }]);
  expect(await migrations.revert(true)).toMatch(/^KeysAndAccounts/);
  await expect(migrations.revert()).rejects.toThrow(/^Reverting AuditAndIdempotency\d+ would lose audit \(2 rows\)\. /);
  expect((await audited()).map(({ id, ...rest }) => [Number(id), rest])).toEqual(before.map(({ id, ...rest }) => [Number(id), rest]));
  expect(await migrations.revert(true)).toMatch(/^AuditAndIdempotency/);
  await expect(audited()).rejects.toThrow();
});

test('a revert whose losses are unknown needs confirmation, too', async () => {
  await migrations.run();
  const newest = dataSource.migrations.at(-1)!;
  const down = jest.spyOn(newest, 'down').mockImplementation(async (runner) => void (await runner.manager.query('DROP TABLE audit')));
  await expect(migrations.revert()).rejects.toThrow(/would lose data that a dry run could not determine\. /);
  expect(await dataSource.query('SELECT * FROM audit')).toEqual([]);
  down.mockResolvedValue(undefined);
  await migrations.revert();
});

const SCOPES_THEN = [
  ...['domains:read', 'domains:write', 'notification-handlers:read', 'notification-handlers:write'],
  ...['notifications:read', 'scheduling:read', 'secrets:read'],
];

test('keys with all earlier scopes become keys with all scopes', async () => {
  await migrations.run();
  await goBackTo('AuditAndIdempotency');
  await dataSource.query("INSERT INTO accounts (name, datetime) VALUES ('acme', '2026-01-01 00:00:00')");
  const insert = `INSERT INTO api_keys (account_id, name, key_hash, scopes, datetime) VALUES (1, ?, ?, ?, '2026-01-01 00:00:00')`;
  await dataSource.query(insert, ['all', 'a', SCOPES_THEN.join(',')]);
  await dataSource.query(insert, ['some', 'b', SCOPES_THEN.slice(1).join(',')]);
  await migrations.run();
  expect(await dataSource.query('SELECT name, has_all_scopes FROM api_keys ORDER BY id')).toEqual([
    { name: 'all', has_all_scopes: 1 },
    { name: 'some', has_all_scopes: 0 },
  ]);
});

test('what accounts have used of their quotas goes on', async () => {
  await migrations.run();
  await goBackTo('LaneSpeeds');
  const now = Date.now();
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  await dataSource.query("INSERT INTO minute_limits (account_id, action, started, number) VALUES (1, 'test', ?, 10)", [now]);
  const insert = "INSERT INTO delivery_counts (account_id, type, day, number) VALUES (1, 'email', ?, ?)";
  for (const [time, number] of [
    [now - 86_400_000, 7],
    [now, 5],
  ])
    await dataSource.query(insert, [day(time), number]);
  await migrations.run();
  const rows = await dataSource.query<Record<string, unknown>[]>('SELECT * FROM quota_counts ORDER BY name');
  expect(rows.map((row) => ({ ...row, started: Number(row.started) }))).toEqual([
    { account_id: 1, name: 'deliveries:email', started: Date.parse(day(now)), number: 5 },
    { account_id: 1, name: 'test', started: now, number: 10 },
  ]);
});

test('with MIGRATIONS=manual, startup changes nothing and says what to do', async () => {
  await expect(migrations.prepare('manual')).rejects.toThrow(/frontdesk -- migrate/);
  expect(await schema()).toEqual([]);
  await migrations.run();
  await migrations.prepare('manual');
});

test('a failed migration is reported with its statement, not as a wrong DATABASE_URL', async () => {
  await dataSource.query('CREATE TABLE accounts (id int)');
  await expect(migrations.prepare('auto')).rejects.toThrow(
    /^The schema can't be brought up to date: .*accounts.* already exists In: CREATE TABLE [`"]accounts/,
  );
});

if (onMysql) {
  test('a migration waits for one by an earlier version, which computes the lock name with SHA1()', async () => {
    const earlier = await connectTo(database.env.DATABASE_URL);
    const [[{ name }]] = await earlier.query<RowDataPacket[]>('SELECT DATABASE() AS name');
    const lock = `frontdesk.${createHash('sha1').update(String(name)).digest('hex')}`;
    await earlier.query('SELECT GET_LOCK(?, 0)', [lock]);

    const running = migrations.run();
    const waiting = "SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE db = ? AND info LIKE 'SELECT GET_LOCK%'";
    for (let found = 0; found === 0;) {
      const [[row]] = await earlier.query<RowDataPacket[]>(waiting, [name]);
      found = Number(row.count);
    }
    expect(await schema()).toEqual([]);

    await earlier.end();
    expect(await running).toHaveLength(count());
  });
}
