/** @mysql whole */
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../../../src/programs/sandbox/sandbox-database';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { Dialect } from '../../../src/platform/database/dialect';
import { type TestAccount, type TestApplication, withApplication } from '../../support/http/application';
import { stopClock, until } from '../../support/jest/clock';
import { connectTo, type TestDatabase } from '../../support/servers/database';
import { createWebhook } from '../../support/areas/deliveries';
import { expectErrors } from '../../support/http/errors';
import { startMysqlServer, stopMysqlServer } from '../../support/servers/mysql-server';
import { DOMAINS, HANDLERS, MESSAGES, newHost } from '../../support/areas/records';
import { runCommand } from '../../support/areas/command';
import { sized } from '../../support/jest/size';

let server: string;
let database: TestDatabase;

/** A server for the tests of a `describe`. */
function useServer(...options: string[]): void {
  beforeAll(async () => {
    server = await startMysqlServer(options);
  });
  afterAll(stopMysqlServer);
  beforeEach(async () => {
    database = await createDatabase(server);
  });
  afterEach(() => database.drop());
}

const withServer = (work: (application: TestApplication) => Promise<void>, env: Record<string, string> = {}) =>
  withApplication({ ...database.env, ...env }, work);
const starting = (env?: Record<string, string>) => withServer(() => Promise.resolve(), env);

async function execute(...statements: string[]): Promise<void> {
  const connection = await connectTo(database.env.DATABASE_URL);
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

const nameOf = async ({ client }: TestAccount, id: number) =>
  ((await client.get(`${HANDLERS}/${id}`).expect(200)).body as { data: { name: string } }).data.name;

(TEST_DATABASE === 'mysql' ? describe : describe.skip)('a database server', () => {
  describe('with default settings other than the service’s', () => {
    useServer(
      '--character-set-server=latin1',
      '--collation-server=latin1_swedish_ci',
      '--skip-character-set-client-handshake',
      '--loose-sql-safe-updates=1',
      '--autocommit=0',
    );

    beforeEach(() => execute("SET GLOBAL lc_messages = 'de_DE'")); // as an option, it would translate "ready for connections"

    test('the service migrates the schema, serves requests and stores every character', async () => {
      await withServer(async (application) => {
        const account = await application.createAccount();
        const { client } = account;
        const ids = [];
        for (let count = 0; count < 4; count++) ids.push(await client.create(DOMAINS, { host: newHost() }));
        const { body } = await client.get(DOMAINS).expect(200);
        expect((body as { data: unknown[] }).data).toHaveLength(4);
        await client.post(`${DOMAINS}/${ids[0]}`, { host: newHost() }).expect(200);
        await client.delete(`${DOMAINS}/${ids[1]}`).expect(200);
        for (const name of ['Recepção', '受付 🛎', 'Ω‘’']) {
          const handler = await createWebhook(account, 'https://hooks.localhost/', name);
          expect(await nameOf(account, handler)).toBe(name);
          const stored = 'SELECT HEX(name) AS hex FROM notification_handlers WHERE id = ?';
          const [{ hex }] = await application.dataSource.query<{ hex: string }[]>(stored, [handler]);
          expect(Buffer.from(hex, 'hex').toString()).toBe(name);
          await client.create(MESSAGES, { text: '🛎', handler_ids: String(handler) });
          await client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
        }
        const host = newHost();
        await client.create(DOMAINS, { host });
        expectErrors(await client.post(DOMAINS, { host }), { code: 'host_taken', source: 'form.host' });
      });
      expect(await runCommand(database.env, ['migrate'])).toMatchObject({ code: 0, stderr: 'The schema is up to date.\n' });
    });

    test('TypeORM’s writes outside a transaction are committed', async () => {
      await withServer(async ({ dataSource }) => {
        await dataSource.query("INSERT INTO accounts (name, datetime) VALUES ('once', '2026-01-01 00:00:00')");
        const connection = await connectTo(database.env.DATABASE_URL);
        const [rows] = await connection.query("SELECT id FROM accounts WHERE name = 'once'");
        await connection.end();
        expect(rows).toHaveLength(1);
      });
    });

    test.each(['latin1', 'utf8mb3'])('a table with the character set %s stops the start', async (charset) => {
      await starting();
      await execute(`ALTER TABLE notification_handlers CONVERT TO CHARACTER SET ${charset}`);
      await expect(starting()).rejects.toThrow(
        new RegExp(`^DATABASE_URL: notification_handlers\\.\\w+ can't store .* 🛎: its character set is ${charset}\\. Run, .*: ALTER TABLE`),
      );
      await execute('ALTER TABLE notification_handlers CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
      await starting();
    });

    test('a user who may open fewer connections than the pool needs stops the start', async () => {
      const user = `u${database.env.DATABASE_URL.slice(-16)}`;
      await execute(`CREATE USER ${user}@'127.0.0.1' WITH MAX_USER_CONNECTIONS 5`, `GRANT ALL ON *.* TO ${user}@'127.0.0.1'`);
      const url = new URL(database.env.DATABASE_URL);
      url.username = user;
      const env = { DATABASE_URL: url.href };
      await expect(starting(env)).rejects.toThrow(
        /^DATABASE_URL: the user may open 5 connections \(max_user_connections\), .* up to 21: twice DATABASE_POOL_SIZE \(10\)/,
      );
      await withServer(
        async (application) => {
          const { client } = await application.createAccount();
          const answers = await Promise.all(Array.from({ length: 20 }, () => client.get(DOMAINS)));
          expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        },
        { ...env, DATABASE_POOL_SIZE: '2' },
      );
      await withServer(async ({ app }) => {
        const opened = await Promise.allSettled(Array.from({ length: 6 }, () => connectTo(url.href)));
        const refused = opened.filter((one) => one.status === 'rejected').map(({ reason }) => app.get(Dialect).isUnavailable(reason));
        for (const one of opened) if (one.status === 'fulfilled') await one.value.end();
        expect(refused).toEqual([true]);
      });
    });
  });

  describe('with binlog_format=STATEMENT', () => {
    useServer('--log-bin=binlog', '--binlog-format=STATEMENT', '--server-id=1');

    test('binlog_format=STATEMENT stops the start', async () => {
      await expect(starting()).rejects.toThrow(/^DATABASE_URL: the server has binlog_format=STATEMENT, .* Set it to MIXED or ROW\.$/);
      await execute('SET GLOBAL binlog_format = MIXED');
      await starting();
    });
  });

  describe('with max_prepared_stmt_count=0', () => {
    useServer('--max-prepared-stmt-count=0');

    test('the service works without prepared statements', async () => {
      await withServer(async (application) => {
        const account = await application.createAccount();
        const { client } = account;
        const names = ["it's ? \\' here", '受付 🛎'];
        const ids = [];
        for (const name of names) ids.push(await createWebhook(account, 'https://hooks.localhost/', name));
        for (const [index, id] of ids.entries()) expect(await nameOf(account, id)).toBe(names[index]);
        const { body } = await client.get(`${HANDLERS}?results_per_page=10&page=1`).expect(200);
        expect((body as { data: { id: number }[] }).data.map(({ id }) => id).sort()).toEqual(ids);
        await client.create(MESSAGES, { text: '🛎', handler_ids: String(ids[0]) });
        await client.post(`${HANDLERS}/${ids[0]}`, { is_enabled: '0' }).expect(200);
        await client.delete(`${HANDLERS}/${ids[1]}`).expect(200);
      });
    });
  });

  test('when the disk is full, writes get 503 and reads continue', async () => {
    server = await startMysqlServer(['--innodb-file-per-table=0', '--innodb-data-file-path=ibdata1:12M:autoextend:max:40M']);
    database = await createDatabase(server);
    await withServer(async (application) => {
      const { client } = await application.createAccount();
      const id = await client.create(DOMAINS, { host: newHost() });
      await execute('CREATE TABLE filler (text VARCHAR(7000)) CHARACTER SET latin1');
      const fill = "INSERT INTO filler VALUES (REPEAT('x', 7000))"; // no longer: a server that can't roll back a long text's pages ends
      await expect(execute(...Array.from({ length: 10_000 }, () => fill))).rejects.toMatchObject({ errno: 1114 });
      const post = () => client.post(DOMAINS, { host: newHost() }); // 201 until the pages of its tables are full, too
      expectErrors(await until(post, ({ status }) => status !== 201), { code: 'unavailable' });
      await client.get(`${DOMAINS}/${id}`).expect(200);
    });
    await stopMysqlServer(); // without space, it can't even drop a table
  });

  describe.each(['OFF', 'ON'])('with innodb_snapshot_isolation=%s', (value) => {
    useServer(`--loose-innodb-snapshot-isolation=${value}`); // MySQL has none

    test('concurrent updates of the same hosts never get a 500', async () => {
      await withServer(async (application) => {
        const { client } = await application.createAccount();
        const ids: number[] = [];
        for (let count = 0; count < 10; count++) ids.push(await client.create(DOMAINS, { host: newHost() }));
        const left = Array.from({ length: sized(480, 4_800) }, (__, index) => ids[index % ids.length]).values();
        const statuses: number[] = [];
        await Promise.all(
          Array.from({ length: 24 }, async () => {
            for (const id of left) statuses.push((await client.post(`${DOMAINS}/${id}`, { host: newHost() })).status);
          }),
        );
        expect(statuses).toContain(200);
        expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]); // 503 once a slow machine has used up the retries
      });
    });

    test('a transaction whose row changed after its snapshot is retried', async () => {
      await withServer(async ({ app, dataSource }) => {
        await dataSource.query('CREATE TABLE pairs (id INT PRIMARY KEY, value INT)');
        await dataSource.query('CREATE TABLE chosen (id INT PRIMARY KEY)');
        await dataSource.query('INSERT INTO pairs VALUES (1, 0)');
        await dataSource.query('INSERT INTO chosen VALUES (1)');
        stopClock(); // only a transaction that failed fast is retried
        const other = await connectTo(database.env.DATABASE_URL);
        await other.query('START TRANSACTION');
        await other.query('UPDATE pairs SET value = 10 WHERE id = 1');
        let attempts = 0;
        const written = app.get(WriteExecutor).run(async (transaction) => {
          attempts++;
          await transaction.write('SET SESSION innodb_lock_wait_timeout = 50', []);
          return transaction.write('UPDATE pairs SET value = value + 1 WHERE id = (SELECT MAX(id) FROM chosen)', []); // a snapshot, then a lock
        });
        const waiting = "SELECT trx_id FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'";
        await until(
          () => pause(150).then(() => dataSource.query<unknown[]>(waiting)), // InnoDB refreshes the table when it was not read for 0.1 s
          ({ length }) => length > 0,
        );
        await other.query('COMMIT');
        await other.end();
        await written;
        const isolated = await dataSource.query<unknown[]>(
          "SHOW VARIABLES WHERE Variable_name = 'innodb_snapshot_isolation' AND Value = 'ON'",
        );
        expect(attempts).toBe(1 + isolated.length);
        expect(await dataSource.query('SELECT value FROM pairs')).toEqual([{ value: 11 }]);
      });
    });
  });
});
