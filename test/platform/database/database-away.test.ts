// Runs on SQLite and MySQL.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import Libsql from 'libsql';
import type { RowDataPacket } from 'mysql2/promise';
import { Dialect } from '../../../src/platform/database/dialect';
import { EventNumbers } from '../../../src/platform/database/events/event-numbers';
import { createWatchedPool } from '../../../src/platform/database/mysql/pool';
import { LIMITS } from '../../../src/platform/database/sqlite/sqlite.dialect';
import type { TestAccount, TestApplication } from '../../support/application';
import { withApplication } from '../../support/application';
import { stopClock } from '../../support/clock';
import { connectTo, createDatabase, onMysql, type TestDatabase } from '../../support/database';
import { expectErrors } from '../../support/errors';
import { Line } from '../../support/line';
import { DOMAINS, newHost } from '../../support/records';
import { longTest, sized } from '../../support/size';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(async () => {
  await database.drop();
});

async function expectUnavailable(account: TestAccount, method: 'GET' | 'POST'): Promise<void> {
  const response = await (method === 'GET' ? account.client.get(DOMAINS) : account.client.post(DOMAINS, { host: newHost() }));
  expectErrors(response, { code: 'unavailable' });
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

if (onMysql) {
  test('an unreachable database is a 503 with Retry-After, and the service recovers with it', async () => {
    const line = await Line.to(database.env.DATABASE_URL);
    await withApplication({ ...database.env, DATABASE_URL: line.url }, async (application: TestApplication) => {
      const account = await application.createAccount();
      await account.client.create(DOMAINS, { host: newHost() });

      await line.cut();
      await expectUnavailable(account, 'GET');
      await expectUnavailable(account, 'POST');
      expectErrors(await application.client().get('/health/ready'), { code: 'unavailable' });
      await application.client().get('/health/live').expect(200);

      await line.mend();
      await application.client().get('/health/ready').expect(200);
      await account.client.create(DOMAINS, { host: newHost() });
    });
    await line.cut();
  });

  test('an outage and its end are a line each', async () => {
    const lines: unknown[] = [];
    const note = (...given: unknown[]) => void lines.push(given[0]);
    for (const level of ['warn', 'log'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(note);
    const untilLine = async (text: string) => {
      while (!JSON.stringify(lines).includes(text)) await nextTurn();
    };
    const line = await Line.to(database.env.DATABASE_URL);
    await withApplication({ ...database.env, DATABASE_URL: line.url }, async () => {
      await line.cut();
      await untilLine('The database in DATABASE_URL is not responding.');
      await line.mend();
      await untilLine('The database is responding again.');
      line.freeze();
      while (lines.filter((each) => JSON.stringify(each).includes('is not responding')).length < 2) await nextTurn();
      line.thaw();
    });
    await line.cut();
  });

  longTest('a database that hangs after an outage is detected', async () => {
    const line = await Line.to(database.env.DATABASE_URL);
    await withApplication({ ...database.env, DATABASE_URL: line.url }, async (application: TestApplication) => {
      const account = await application.createAccount();
      const ready = () => application.client().get('/health/ready');
      await line.cut();
      expectErrors(await ready(), { code: 'unavailable' });
      await line.mend();
      await ready().expect(200);

      line.freeze();
      expectErrors(await ready(), { code: 'unavailable' });
      await expectUnavailable(account, 'GET');
      line.thaw();
      while ((await ready()).status !== 200) await new Promise(setImmediate);
      await account.client.get(DOMAINS).expect(200);
    });
    await line.cut();
  });

  test('a hanging database is a 503, and the service recovers with it', async () => {
    const line = await Line.to(database.env.DATABASE_URL);
    await withApplication({ ...database.env, DATABASE_URL: line.url }, async (application: TestApplication) => {
      const account = await application.createAccount();
      const id = await account.client.create(DOMAINS, { host: newHost() });

      line.freeze();
      for (let round = 0; round < sized(1, 3); round++) {
        await Promise.all(Array.from({ length: 40 }, (_, index) => expectUnavailable(account, index % 2 ? 'GET' : 'POST')));
      }
      await application.client().get('/health/live').expect(200);

      line.thaw();
      while ((await account.client.get(`${DOMAINS}/${id}`)).status !== 200);
      await account.client.create(DOMAINS, { host: newHost() });
    });
    await line.cut();
  });

  test('a wait for a connection does not go on while the process is blocked, as at its start', async () => {
    const pool = createWatchedPool({ uri: database.env.DATABASE_URL, connectionLimit: 1 });
    const connect = promisify(pool.getConnection.bind(pool));
    const first = await connect();
    const second = connect();
    await nextTurn(); // timers that are due then run before the next immediate
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    setImmediate(() => first.release());
    await expect(second).resolves.toBe(first);
    pool.end();
  });

  test('NO_BACKSLASH_ESCAPES on the server allows no SQL injection', async () => {
    const server = await connectTo(database.env.DATABASE_URL);
    const [[{ mode }]] = await server.query<RowDataPacket[]>('SELECT @@GLOBAL.sql_mode AS mode');
    await server.query("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'");
    try {
      await withApplication(database.env, async (application) => {
        const account = await application.createAccount();
        const filter = encodeURIComponent("\\') > 0 OR 1 = 1 -- ");
        await account.client.get(`/scheduling?api=servicos&servico-nome=${filter}`).expect(200, '{"data":[]}');
        const { client } = account;
        const id = await client.create('/api/notification-handlers', { name: "it's \\' here", type: 'email' });
        expect((await client.get(`/api/notification-handler/${id}`)).body).toMatchObject({ data: { name: "it's \\' here" } });
      });
    } finally {
      await server.query('SET GLOBAL sql_mode = ?', [mode]);
      await server.end();
    }
  });
} else {
  test('a database locked by another process is a 503 with Retry-After for writes; reads continue', async () => {
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      await account.client.get(DOMAINS).expect(200);
      const other = new Libsql(database.env.DATABASE_URL.slice('sqlite:'.length));

      await application.app.get(EventNumbers).number(); // or the background would, and be taken for the write
      other.exec('BEGIN IMMEDIATE');
      await application.client().get('/health/ready').expect(200);
      const answered: string[] = [];
      const clock = stopClock();
      const attempts = jest.spyOn(application.app.get(Dialect), 'statementTransaction');
      const writing = expectUnavailable(account, 'POST').then(() => answered.push('the write'));
      while (attempts.mock.calls.length === 0) await nextTurn();
      await account.client.get(DOMAINS).expect(200);
      answered.push('the read');
      clock.move(LIMITS.timeoutMs + 1);
      await writing;
      expect(answered).toEqual(['the read', 'the write']); // the waiting write blocks nothing else

      other.exec('ROLLBACK');
      other.close();
      await account.client.create(DOMAINS, { host: newHost() });
    });
  });
}
