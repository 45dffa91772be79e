import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import Libsql from 'libsql';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { TestAccount, TestApplication } from './support/application';
import { withApplication } from './support/application';
import { createDatabase, onMysql, type TestDatabase } from './support/database';
import { expectErrors } from './support/errors';
import { DOMAINS, newHost } from './support/records';

jest.setTimeout(30_000);

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
  /** Stands between the service and the database, and can be cut. */
  class Line {
    private readonly sockets = new Set<Socket>();

    private constructor(
      private readonly listener: Server,
      readonly url: string,
    ) {}

    static async to(databaseUrl: string): Promise<Line> {
      const { hostname, port } = new URL(databaseUrl);
      const listener = createServer((near) => line.join(near, connect(Number(port || 3306), hostname)));
      await once(listener.listen(0, '127.0.0.1'), 'listening');
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
      const line = new Line(listener, url.href);
      return line;
    }

    async cut(): Promise<void> {
      for (const socket of this.sockets) socket.destroy();
      await new Promise((resolve) => this.listener.close(resolve));
    }

    async mend(): Promise<void> {
      await once(this.listener.listen(Number(new URL(this.url).port), '127.0.0.1'), 'listening');
    }

    private join(near: Socket, far: Socket): void {
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ]) {
        this.sockets.add(socket);
        socket.pipe(other);
        socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      }
    }
  }

  test('a database that is away is a 503 with Retry-After; the service goes on when it is back', async () => {
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

  test('a server that takes a backslash as it is gets no statement that a text has ended', async () => {
    const server = await createConnection(database.env.DATABASE_URL);
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
  test('a database that another process keeps locked is a 503 with Retry-After; reading goes on', async () => {
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      await account.client.get(DOMAINS).expect(200);
      const other = new Libsql(database.env.DATABASE_URL.slice('sqlite:'.length));

      other.exec('BEGIN IMMEDIATE');
      const waiting = expectUnavailable(account, 'POST');
      const begun = performance.now();
      await account.client.get(DOMAINS).expect(200);
      expect(performance.now() - begun).toBeLessThan(2_000); // a write waits for five seconds, and nothing waits with it
      await waiting;

      other.exec('ROLLBACK');
      other.close();
      await account.client.create(DOMAINS, { host: newHost() });
    });
  });
}
