/** @mysql whole */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { Dialect } from '../../../src/platform/database/dialect';
import { createDatabase as createOn } from '../../../src/programs/sandbox/sandbox-database';
import { type TestAccount, type TestApplication, withApplication } from '../../support/http/application';
import { until } from '../../support/jest/clock';
import { connectTo, createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { expectErrors } from '../../support/http/errors';
import { Line } from '../../support/servers/line';
import { untilServed } from '../../support/http/client';
import { startMysqlServer, stopMysqlServer } from '../../support/servers/mysql-server';
import { DOMAINS, newHost } from '../../support/areas/records';

const onServers = onMysql ? describe : describe.skip;

/** Opens several connections of both pools. */
async function use({ client }: TestAccount): Promise<void> {
  const requests = Array.from({ length: 8 }, () => [client.create(DOMAINS, { host: newHost() }), untilServed(() => client.get(DOMAINS))]);
  await Promise.all(requests.flat());
}

const create = ({ client }: TestAccount) => client.post(DOMAINS, { host: newHost() });

const readiness = async (application: TestApplication) => (await application.client().get('/health/ready')).status;

onServers('a read-only database server', () => {
  const USER = 'frontdesk';
  /** Connections of root, which may write to a read-only server. */
  let servers: Connection[];
  let urls: string[];
  let database: TestDatabase;

  beforeAll(async () => {
    const roots = await Promise.all([startMysqlServer(), startMysqlServer()]);
    database = await createOn(roots[0]);
    const { pathname } = new URL(database.env.DATABASE_URL);
    servers = await Promise.all(roots.map((root) => connectTo(new URL('/mysql', root).href)));
    await servers[1].query(`CREATE DATABASE ${pathname.slice(1)} CHARACTER SET utf8mb4`);
    for (const server of servers) {
      await server.query(`CREATE USER ${USER}@'127.0.0.1' IDENTIFIED BY 'secret'`);
      await server.query(`GRANT ALL ON ${pathname.slice(1)}.* TO ${USER}@'127.0.0.1'`);
      await server.query(`USE ${pathname.slice(1)}`);
    }
    urls = roots.map((root) => new URL(pathname, root.replace('root@', `${USER}:secret@`)).href);
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end()));
    await stopMysqlServer();
  });

  afterEach(() => Promise.all(servers.map((server) => server.query('SET GLOBAL read_only = 0'))));

  /** Stands in for replication. */
  async function copy(): Promise<void> {
    const [from, to] = servers;
    await to.query('SET foreign_key_checks = 0');
    for (const table of await tablesOf(to)) await to.query(`DROP TABLE ${table}`);
    for (const table of await tablesOf(from)) {
      const [[definition]] = await from.query<RowDataPacket[]>(`SHOW CREATE TABLE ${table}`);
      await to.query(String(definition['Create Table']));
      const [rows] = await from.query<RowDataPacket[][]>({ sql: `SELECT * FROM ${table}`, rowsAsArray: true });
      if (rows.length > 0) await to.query(`INSERT INTO ${table} VALUES ?`, [rows]);
    }
  }

  async function tablesOf(server: Connection): Promise<string[]> {
    const [rows] = await server.query<RowDataPacket[][]>({ sql: 'SHOW TABLES', rowsAsArray: true });
    return (rows as unknown as [string][]).map(([name]) => name);
  }

  /** The service is connected to the first server; `switchOver` directs its address to the second. */
  async function withSwitch(work: (application: TestApplication, switchOver: () => Promise<void>) => Promise<void>): Promise<void> {
    const line = await Line.to(urls[0]);
    const switchOver = async () => {
      await copy();
      line.switchTo(urls[1]);
    };
    try {
      await withApplication({ ...database.env, DATABASE_URL: line.url }, (application) => work(application, switchOver));
    } finally {
      await line.cut();
    }
  }

  async function untilUnused(server: Connection): Promise<void> {
    const statement = `SELECT id FROM information_schema.processlist WHERE user = '${USER}'`;
    await until(
      () => server.query<RowDataPacket[]>(statement),
      ([rows]) => rows.length === 0,
    );
  }

  test('writes to a read-only server are a 503 and readiness fails, while reads continue', async () => {
    await withSwitch(async (application) => {
      const account = await application.createAccount();
      await use(account);
      await servers[0].query('SET GLOBAL read_only = 1');
      expectErrors(await application.client().get('/health/ready'), {
        code: 'unavailable',
        detail: 'The database is not responding, or is read-only.',
      });
      expectErrors(await create(account), { code: 'unavailable' });
      await account.client.get(DOMAINS).expect(200);
      await application.client().get('/health/live').expect(200);
      await servers[0].query('SET GLOBAL read_only = 0');
      expect(await readiness(application)).toBe(200);
      await use(account);
    });
  });

  test('a server that became read-only gets no requests after its address was switched', async () => {
    await withSwitch(async (application, switchOver) => {
      const account = await application.createAccount();
      await use(account);
      await servers[0].query('SET GLOBAL read_only = 1');
      expectErrors(await create(account), { code: 'unavailable' });
      await switchOver();
      const id = await account.client.create(DOMAINS, { host: newHost() });
      await account.client.get(`${DOMAINS}/${id}`).expect(200);
      await untilUnused(servers[0]);
      expect(await readiness(application)).toBe(200);
      await use(account);
    });
  });

  test('reads go to the new server after a switch, even without a write', async () => {
    await withSwitch(async (application, switchOver) => {
      const account = await application.createAccount();
      await use(account);
      await servers[0].query('SET GLOBAL read_only = 1');
      await switchOver();
      const host = newHost();
      await servers[1].query('UPDATE domains SET host = ? WHERE account_id = ? LIMIT 1', [host, account.id]);
      await until(
        () => account.client.get(DOMAINS),
        ({ text }) => text.includes(host),
      );
      await untilUnused(servers[0]);
      expect(await readiness(application)).toBe(200);
    });
  });

  test('a read-only server passes readiness for a user who may write to it', async () => {
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      await servers[0].query('SET GLOBAL read_only = 1');
      expect(await readiness(application)).toBe(200);
      await use(account);
      expect(await readiness(application)).toBe(200);
    });
  });
});

onServers('an error of a database server', () => {
  let database: TestDatabase;
  let server: Connection;

  beforeEach(async () => {
    database = await createDatabase();
    server = await connectTo(database.env.DATABASE_URL);
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
  });

  /** Has the server raise the error from a trigger. */
  async function refuseInserts(errno: number, message: string, condition = 'TRUE'): Promise<void> {
    await server.query('DROP TRIGGER IF EXISTS refuse_inserts');
    await server.query(`CREATE TRIGGER refuse_inserts BEFORE INSERT ON domains FOR EACH ROW
      IF ${condition} THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${errno}, MESSAGE_TEXT = '${message}'; END IF`);
  }

  async function connectionIds(): Promise<number[]> {
    const statement = 'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';
    return (await server.query<RowDataPacket[]>(statement))[0].map(({ id }) => Number(id));
  }

  const READ_ONLY: [number, string][] = [
    [1290, 'The MySQL server is running with the --read-only option so it cannot execute this statement'],
    [1290, 'The MySQL server is running with the --super-read-only option so it cannot execute this statement'],
    [1792, 'Cannot execute statement in a READ ONLY transaction'],
    [1836, 'Running in read-only mode'],
    [1036, 'Table is read only'],
  ];

  test.each(READ_ONLY)(
    'a write that fails with %i (%s) is retried on a new connection, and old ones are closed',
    async (errno, message) => {
      await withApplication(database.env, async (application) => {
        const account = await application.createAccount();
        await use(account);
        const newest = Math.max(...(await connectionIds()));
        await refuseInserts(errno, message, `CONNECTION_ID() <= ${newest}`);
        const attempts = jest.spyOn(application.app.get(Dialect), 'statementTransaction');
        await account.client.create(DOMAINS, { host: newHost() });
        await until(connectionIds, (ids) => ids.every((id) => id > newest));
        await use(account);
        attempts.mockClear();
        await refuseInserts(errno, message);
        expectErrors(await create(account), { code: 'unavailable' });
        const ends = await Promise.allSettled(attempts.mock.results.map(({ value }) => value as Promise<unknown>));
        expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(2); // the others are those of the background
      });
    },
  );

  test('error 1290 for another option is a 500 and closes no connection', async () => {
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      await use(account);
      const before = await connectionIds();
      await refuseInserts(1290, 'The MySQL server is running with the --secure-file-priv option so it cannot execute this statement');
      expectErrors(await create(account), { code: 'internal_error' });
      expect(await connectionIds()).toEqual(expect.arrayContaining(before));
    });
  });

  test.each([
    [1021, 'Disk full (/tmp/#sql-1.MAI); waiting for someone to free some space... (errno: 28 "No space left on device")'],
    [1114, 'The table domains is full'],
    [1026, 'Error writing file /var/lib/mysql/binlog (errno: 28 "No space left on device")'],
    [3, 'Error writing file /tmp/MLsnJ0 (OS errno 28 - No space left on device)'],
  ])('error %i (%s) is a 503', async (errno, message) => {
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      await refuseInserts(errno, message);
      expectErrors(await create(account), { code: 'unavailable' });
      await server.query('DROP TRIGGER refuse_inserts');
      await use(account);
    });
  });
});
