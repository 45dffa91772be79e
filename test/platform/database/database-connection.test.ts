// Runs on SQLite and MySQL.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowDataPacket } from 'mysql2/promise';
import { Dialect } from '../../../src/platform/database/dialect';
import { createDatabase } from '../../../src/programs/sandbox/sandbox-database';
import { type TestApplication, withApplication } from '../../support/application';
import { makeAuthority, makeCertificate } from '../../support/certificates';
import { connectTo, onMysql, type TestDatabase } from '../../support/database';
import { downgrading, portOf } from '../../support/downgrade';
import { expectErrors } from '../../support/errors';
import { Line } from '../../support/line';
import { startMysqlServer, stopMysqlServer } from '../../support/mysql-server';
import { DOMAINS, newHost } from '../../support/records';

jest.setTimeout(60_000);

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

/** Changes the server's certificate. */
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
    database = await createDatabase(server.href);
  });

  afterAll(async () => {
    await stopMysqlServer();
    rmSync(folder, { recursive: true, force: true });
  });

  test('gets TLS on every connection', async () => {
    await expect(startOn(urlWith({}))).rejects.toThrow(/^DATABASE_URL: the database can't be opened: .*(Access denied|insecure)/);
    await withDatabase(urlWith({ 'ssl-ca': file(`${CA}.pem`) }), async (application) => {
      await expectAtWork(application);
      expect((await origins(application)).length).toBeGreaterThan(1);
    });
  });

  test.each([
    ['the CAs of Node', { ssl: 'true' }],
    ['another CA', { 'ssl-ca': 'another.pem' }],
    ['another CA, without the name', { ssl: 'verify-ca', 'ssl-ca': 'another.pem' }],
  ])('is not trusted by %s', async (_, parameters: Record<string, string>) => {
    const { 'ssl-ca': ca, ...rest } = parameters;
    const starting = startOn(urlWith({ ...rest, ...(ca && { 'ssl-ca': file(ca) }) }));
    await expect(starting).rejects.toThrow(/^DATABASE_URL: TLS connection failed: .*certificate.*set ssl-ca to its certificate file/);
  });

  test('is not trusted with a certificate for another host, unless the name is not checked', async () => {
    await show('elsewhere');
    try {
      const ca = { 'ssl-ca': file(`${CA}.pem`) };
      await expect(startOn(urlWith(ca))).rejects.toThrow(/^DATABASE_URL: TLS connection failed: Hostname.*db\.example\.com/);
      await withDatabase(urlWith({ ssl: 'verify-ca', ...ca }), expectAtWork);
    } finally {
      await show('localhost');
    }
  });

  test('is trusted unverified with ssl=no-verify', () => withDatabase(urlWith({ ssl: 'no-verify' }), expectAtWork));

  test('that appears to offer no TLS gets no password', async () => {
    const attacker = await downgrading(Number(server.port));
    const url = urlWith({ ssl: 'no-verify' }, String(portOf(attacker)));
    await expect(startOn(url)).rejects.toThrow(/^DATABASE_URL: TLS connection failed: /);
    attacker.close();
  });

  test('that hangs is detected through TLS, too', async () => {
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

  test('is reached through its socket', async () => {
    const connection = await connectTo(urlWith({ ssl: 'no-verify' }));
    const [[{ socket }]] = await connection.query<RowDataPacket[]>('SELECT @@socket AS socket');
    await connection.end();
    await withDatabase(urlWith({ socket: String(socket) }, ''), async (application) => {
      await expectAtWork(application);
      expect(new Set(await origins(application))).toEqual(new Set(['localhost']));
    });
  });
});
