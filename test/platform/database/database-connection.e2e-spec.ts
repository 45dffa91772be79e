/** @mysql always */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import Libsql from 'libsql';
import type { RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { Dialect } from '../../../src/platform/database/dialect';
import { EventNumbers } from '../../../src/platform/database/events/event-numbers';
import { MysqlHeartbeat } from '../../../src/platform/database/mysql/heartbeat';
import { createWatchedPool, MysqlDataSource } from '../../../src/platform/database/mysql/pool';
import { WRITER_LIMITS } from '../../../src/platform/database/sqlite/sqlite.dialect';
import { createDatabase as createOn } from '../../../src/programs/sandbox/sandbox-database';
import { type TestAccount, type TestApplication, withApplication } from '../../support/http/application';
import { makeAuthority, makeCertificate } from '../../support/servers/certificates';
import { stopClock, until } from '../../support/jest/clock';
import { connectTo, createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { downgrading, portOf } from './downgrade';
import { expectErrors } from '../../support/http/errors';
import { Line } from '../../support/servers/line';
import { startMysqlServer, stopMysqlServer } from '../../support/servers/mysql-server';
import { DOMAINS, newHost } from '../../support/areas/records';
import { longTest, sized } from '../../support/jest/size';

/** A unique name: CAs are found by name. */
const CA = 'The CA of the tests';

let folder: string;
let server: URL;
let database: TestDatabase;

const file = (name: string) => join(folder, name);

function urlWith(parameters: Record<string, string>, port = server.port): string {
  const url = new URL(database.env.DATABASE_URL);
  url.port = port;
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}

const withDatabase = (DATABASE_URL: string, work: (application: TestApplication) => Promise<void>) =>
  withApplication({ ...database.env, DATABASE_URL }, work);

const startOn = (url: string) => withDatabase(url, () => Promise.resolve());

async function expectAtWork(application: TestApplication): Promise<void> {
  const { client } = await application.createAccount();
  await client.create(DOMAINS, { host: newHost() });
  await client.get(DOMAINS).expect(200);
}

/** The origin of each of the service's connections: the pool's and the heartbeat's. */
async function origins({ dataSource, app }: TestApplication): Promise<string[]> {
  const statement = 'SELECT host FROM information_schema.PROCESSLIST WHERE db = DATABASE()';
  for (;;) {
    const rows = await dataSource.query<{ host: string }[]>(statement);
    if (rows.length === app.get(Dialect).poolUsage!().open + 1) return rows.map(({ host }) => host);
  }
}

/** Replaces the server's certificate. */
async function show(certificate: string): Promise<void> {
  for (const ending of ['pem', 'key']) copyFileSync(file(`${certificate}.${ending}`), file(`shown.${ending}`));
  const connection = await connectTo(urlWith({ ssl: 'no-verify' }));
  const [[{ version }]] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  await connection.query(String(version).includes('MariaDB') ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS');
  await connection.end();
}

(onMysql ? describe : describe.skip)('a server that requires TLS', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'frontdesk-tls-'));
    makeAuthority(folder, CA);
    makeAuthority(folder, 'another');
    makeCertificate(folder, 'localhost', CA, 'localhost');
    makeCertificate(folder, 'elsewhere', CA, 'db.example.com');
    makeCertificate(folder, 'shown', CA, 'localhost');
    server = new URL(
      await startMysqlServer([`--ssl-cert=${file('shown.pem')}`, `--ssl-key=${file('shown.key')}`, '--require-secure-transport=ON']),
    );
    server.hostname = 'localhost';
    server.searchParams.set('ssl-ca', file(`${CA}.pem`));
    database = await createOn(server.href);
  });

  afterAll(async () => {
    await stopMysqlServer();
    rmSync(folder, { recursive: true, force: true });
  });

  test('every connection uses TLS, and a start without ssl=true fails with advice', async () => {
    const denied =
      /^DATABASE_URL: the database can't be opened: .*(Access denied.*\. If the account requires TLS, add \?ssl=true\.$|insecure)/;
    await expect(startOn(urlWith({}))).rejects.toThrow(denied);
    const byNobody = new URL(urlWith({ 'ssl-ca': file(`${CA}.pem`) }));
    byNobody.username = 'nobody';
    await expect(startOn(byNobody.href)).rejects.toThrow(/Access denied for user 'nobody'@[^ ]* \(using password: (YES|NO)\)$/);
    await withDatabase(urlWith({ 'ssl-ca': file(`${CA}.pem`) }), async (application) => {
      await expectAtWork(application);
      expect((await origins(application)).length).toBeGreaterThan(1);
    });
  });

  test.each([
    ['Node’s CAs', { ssl: 'true' }],
    ['another CA', { 'ssl-ca': 'another.pem' }],
    ['another CA with ssl=verify-ca', { ssl: 'verify-ca', 'ssl-ca': 'another.pem' }],
  ])('the server’s certificate is not trusted with %s', async (_, parameters: Record<string, string>) => {
    const { 'ssl-ca': ca, ...rest } = parameters;
    const starting = startOn(urlWith({ ...rest, ...(ca && { 'ssl-ca': file(ca) }) }));
    await expect(starting).rejects.toThrow(/^DATABASE_URL: TLS connection failed: .*certificate.*set ssl-ca to its certificate file/);
  });

  test('a certificate for another host is trusted only with ssl=verify-ca', async () => {
    await show('elsewhere');
    try {
      const ca = { 'ssl-ca': file(`${CA}.pem`) };
      await expect(startOn(urlWith(ca))).rejects.toThrow(/^DATABASE_URL: TLS connection failed: Hostname.*db\.example\.com/);
      await withDatabase(urlWith({ ssl: 'verify-ca', ...ca }), expectAtWork);
    } finally {
      await show('localhost');
    }
  });

  test('ssl=no-verify trusts any certificate', () => withDatabase(urlWith({ ssl: 'no-verify' }), expectAtWork));

  test('a server that appears to offer no TLS gets no password', async () => {
    const attacker = await downgrading(Number(server.port));
    const url = urlWith({ ssl: 'no-verify' }, String(portOf(attacker)));
    await expect(startOn(url)).rejects.toThrow(/^DATABASE_URL: TLS connection failed: /);
    attacker.close();
  });

  test('a server that hangs is detected over TLS, too', async () => {
    const line = await Line.to(`mysql://127.0.0.1:${server.port}`);
    await withDatabase(urlWith({ 'ssl-ca': file(`${CA}.pem`) }, new URL(line.url).port), async (application) => {
      const { client } = await application.createAccount();
      line.freeze();
      expectErrors(await client.get(DOMAINS), { code: 'unavailable' });
      line.thaw();
      while ((await client.get(DOMAINS)).status !== 200);
    });
    await line.cut();
  });

  test('the service connects through a Unix socket', async () => {
    const connection = await connectTo(urlWith({ ssl: 'no-verify' }));
    const [[{ socket }]] = await connection.query<RowDataPacket[]>('SELECT @@socket AS socket');
    await connection.end();
    await withDatabase(urlWith({ socket: String(socket) }, ''), async (application) => {
      await expectAtWork(application);
      expect(new Set(await origins(application))).toEqual(new Set(['localhost']));
    });
  });
});

async function expectUnavailable(account: TestAccount, method: 'GET' | 'POST'): Promise<void> {
  const response = await (method === 'GET' ? account.client.get(DOMAINS) : account.client.post(DOMAINS, { host: newHost() }));
  expectErrors(response, { code: 'unavailable' });
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

(onMysql ? describe : describe.skip)('a database server', () => {
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  /** Connects the service through a Line, which the work can cut, freeze and mend. */
  async function withLine(work: (line: Line, application: TestApplication) => Promise<void>): Promise<void> {
    const line = await Line.to(database.env.DATABASE_URL);
    await withDatabase(line.url, (application) => work(line, application));
    await line.cut();
  }

  test('an unreachable database is a 503 with Retry-After until it is reachable again', async () => {
    await withLine(async (line, application) => {
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
  });

  test('an outage and its end are logged once each', async () => {
    const lines: unknown[] = [];
    const note = (...given: unknown[]) => void lines.push(given[0]);
    for (const level of ['warn', 'log'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(note);
    const untilLine = async (text: string) => {
      while (!JSON.stringify(lines).includes(text)) await nextTurn();
    };
    await withLine(async (line) => {
      await line.cut();
      await untilLine('The database in DATABASE_URL is not responding.');
      await line.mend();
      await untilLine('The database is responding again.');
      line.freeze();
      while (lines.filter((each) => JSON.stringify(each).includes('is not responding')).length < 2) await nextTurn();
      line.thaw();
    });
  });

  longTest('a database that hangs after an outage is detected as unavailable', async () => {
    await withLine(async (line, application) => {
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
  });

  test('a hanging database is a 503 until it responds again', async () => {
    await withLine(async (line, application) => {
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
  });

  /** A pool with a single connection. */
  function openPool() {
    const options = { uri: database.env.DATABASE_URL, connectionLimit: 1 };
    const heartbeat = new MysqlHeartbeat(options);
    const pool = createWatchedPool(options, heartbeat);
    const close = () => {
      heartbeat.stop();
      pool.end();
    };
    return { heartbeat, connect: promisify(pool.getConnection.bind(pool)), close };
  }

  test('the wait for a connection does not time out because the event loop was blocked', async () => {
    const { connect, close } = openPool();
    const first = await connect();
    const second = connect();
    await nextTurn(); // timers that are due then run before the next immediate
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    setImmediate(() => first.release());
    await expect(second).resolves.toBe(first);
    close();
  });

  test('a start that is blocked for longer than a connection may take connects a second time', async () => {
    const initialize = jest.spyOn(MysqlDataSource.prototype as DataSource, 'initialize').mockImplementationOnce(function (
      this: DataSource,
    ) {
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500));
      return DataSource.prototype.initialize.call(this);
    });
    await withDatabase(database.env.DATABASE_URL, expectAtWork);
    expect(initialize).toHaveBeenCalledTimes(2);
  });

  test('pool usage counts open, idle and awaited connections', async () => {
    const { heartbeat, connect, close } = openPool();
    const connection = await connect();
    await connection.promise().query('DO 0'); // after the session's settings
    const next = connect();
    expect(heartbeat.usage).toEqual({ open: 1, idle: 0, waiting: 1 });
    connection.release();
    await next;
    expect(heartbeat.usage).toEqual({ open: 1, idle: 0, waiting: 0 });
    connection.release();
    expect(heartbeat.usage).toEqual({ open: 1, idle: 1, waiting: 0 });
    connection.destroy();
    const usage = await until(
      () => heartbeat.usage,
      ({ open }) => open === 0,
    );
    expect(usage).toEqual({ open: 0, idle: 0, waiting: 0 });
    close();
  });

  test('NO_BACKSLASH_ESCAPES allows no SQL injection', async () => {
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
});

(onMysql ? describe.skip : describe)('the embedded database', () => {
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  test('a lock held by another process fails writes with 503 and Retry-After, but not reads', async () => {
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      await account.client.get(DOMAINS).expect(200);
      const other = new Libsql(database.env.DATABASE_URL.slice('sqlite:'.length));

      await application.app.get(EventNumbers).numberEvents(); // otherwise background work would, and count as the write
      other.exec('BEGIN IMMEDIATE');
      await application.client().get('/health/ready').expect(200);
      const answered: string[] = [];
      const clock = stopClock();
      const attempts = jest.spyOn(application.app.get(Dialect), 'statementTransaction');
      const writing = expectUnavailable(account, 'POST').then(() => answered.push('the write'));
      while (attempts.mock.calls.length === 0) await nextTurn();
      await account.client.get(DOMAINS).expect(200);
      answered.push('the read');
      clock.move(WRITER_LIMITS.timeoutMs + 1);
      await writing;
      expect(answered).toEqual(['the read', 'the write']); // the waiting write blocks nothing else

      other.exec('ROLLBACK');
      other.close();
      await account.client.create(DOMAINS, { host: newHost() });
    });
  });
});
