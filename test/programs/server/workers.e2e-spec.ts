/** @mysql whole */
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withApplication } from '../../support/http/application';
import { until } from '../../support/jest/clock';
import { createDatabase, newSecretsKey, onMysql, type TestDatabase } from '../../support/servers/database';
import { sendRaw } from '../../support/http/raw-request';
import { Line } from '../../support/servers/line';
import { DOMAINS } from '../../support/areas/records';
import { ServerProcess, withServer } from '../../support/servers/server-process';
import { longTest } from '../../support/jest/size';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

if (onMysql) {
  const withWorkers = (work: (server: ServerProcess, port: number) => Promise<void>) =>
    withServer({ ...database.env, WORKERS: '2', LOG_LEVEL: 'warn', PATH: process.env.PATH }, work);

  test('a worker that dies is replaced while the others keep serving', async () => {
    await withWorkers(async (server, port) => {
      const [first, second, ...more] = server.workers();
      expect(more).toEqual([]);
      process.kill(first, 'SIGKILL');
      await until(() => server.workers().filter((pid) => pid !== first).length === 2);
      expect(server.workers()).toContain(second);
      for (let count = 0; count < 20; count++) {
        expect((await sendRaw(port, { method: 'GET', path: '/health/ready' })).status).toBe(200);
      }
      const { code, errors } = await server.stop();
      expect([code, errors]).toEqual([0, expect.stringMatching(/^frontdesk: worker \d+ exited \(SIGKILL\); starting a replacement\.\n$/)]);
    });
  });

  longTest('replacements are retried until they start, with at most WORKERS at a time', async () => {
    const line = await Line.to(database.env.DATABASE_URL);
    await withServer(
      { ...database.env, DATABASE_URL: line.url, WORKERS: '2', LOG_LEVEL: 'silent', PATH: process.env.PATH },
      async (server) => {
        await line.cut();
        for (const pid of server.workers()) process.kill(pid, 'SIGKILL');
        let most = 0;
        for (const deadline = Date.now() + 6_000; Date.now() < deadline; await pause(50)) most = Math.max(most, server.workers().length);
        expect(most).toBe(2);
        await line.mend();
        await until(() => server.workers().length === 2);
        server.signal('SIGTERM'); // some may be starting just now
        expect((await server.end()).code).toBe(0);
      },
    );
    await line.cut();
  });

  longTest('SIGHUP replaces every worker without a failed request, and SIGTERM stops all', async () => {
    let key = '';
    await withApplication(database.env, async (application) => {
      key = (await application.createAccount()).key;
    });
    await withWorkers(async (server, port) => {
      const before = server.workers();
      const statuses = new Map<number, number>();
      let isOver = false;
      const clients = Array.from({ length: 8 }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        while (!isOver) {
          const { status } = await sendRaw(port, { method: 'GET', path: DOMAINS, headers: { Authorization: `Bearer ${key}` } }, agent);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
        agent.destroy();
      });
      await pause(300);
      server.signal('SIGHUP');
      await until(() => server.workers().length === 2 && !server.workers().some((pid) => before.includes(pid)));
      await pause(300);
      isOver = true;
      await Promise.all(clients);
      expect([...statuses.keys()]).toEqual([200]);

      const workers = server.workers();
      const { code } = await server.stop();
      expect(code).toBe(0);
      for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    });
  });

  longTest('the service exits with the reason when no worker can start', async () => {
    const url = new URL(database.env.DATABASE_URL);
    url.port = '1';
    const { code, errors } = await new ServerProcess({ ...database.env, DATABASE_URL: url.href, WORKERS: '2' }).end();
    expect(code).toBe(1);
    expect(errors).toMatch(/DATABASE_URL: .*ECONNREFUSED/);
  });
} else {
  test('a restart kills and reports workers that never listen, and keeps the old ones', async () => {
    const script = join(__dirname, 'stuck-workers.cjs');
    await withServer(
      {},
      async (server, port) => {
        const pid = async () => (await sendRaw(port, { method: 'GET', path: '/' })).text;
        for (const restarts of [1, 2]) {
          server.signal('SIGHUP');
          await until(() => server.complained().match(/The other workers keep running/g)?.length === restarts);
          expect(process.kill(Number(await pid()), 0)).toBe(true);
        }
        const line = 'frontdesk: worker \\d+ was killed: it was not listening after 0\\.1 s\\.\n';
        const end = 'frontdesk: A worker exited before it was listening \\(SIGKILL\\)\\. The other workers keep running\\.\n';
        expect((await server.stop()).errors).toMatch(new RegExp(`^(${line}${end}){2}$`));
      },
      script,
    );
  });

  /** These workers end without completing requests. */
  const wasReset = () => ({ text: 'reset' });

  /** The primary needs no database, only a valid environment. */
  const MYSQL = { WORKERS: '2', DATABASE_URL: 'mysql://user:password@localhost/unused', SECRETS_KEY: newSecretsKey() };

  longTest.each([
    ['during the start', 'signalled-start.cjs', {}],
    ['before the start', 'early-signal.cjs', MYSQL],
  ])('a SIGHUP %s replaces the first workers once all of them listen', async (_moment, name, env) => {
    const script = join(__dirname, name);
    await withServer(
      env,
      async (server, port) => {
        const isOfFirst = async () =>
          ['1', '2', 'reset'].includes((await sendRaw(port, { method: 'GET', path: '/' }).catch(wasReset)).text);
        await until(isOfFirst, (isFirst) => !isFirst);
        expect(await server.stop()).toMatchObject({ code: 0, errors: '' });
      },
      script,
    );
  });
}
