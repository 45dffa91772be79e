/** @mysql whole */
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { version } from '../../../package.json';
import { createDialect, dataSourceOptions } from '../../../ormconfig';
import { Config } from '../../../src/platform/config/config';
import { Extensions } from '../../../src/platform/extensions/extensions';
import { withApplication } from '../../support/http/application';
import { createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { sendRaw } from '../../support/http/raw-request';
import { DOMAINS, HANDLERS, NOTIFICATIONS } from '../../support/areas/records';
import { COLLECTIONS, SCHEDULING } from '../../support/areas/scheduling-interface';
import { type Ending, ServerProcess, withServer } from '../../support/servers/server-process';
import { longTest, longTestOnce, testOnce } from '../../support/jest/size';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

let database: TestDatabase;

/** A database per test, or per `describe` if its tests share a server. */
function useDatabase(before = beforeEach, after = afterEach): void {
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const KEY = /fd_[0-9A-Za-z]{38}/;

/** Creates an account before a server starts. */
async function createAccount(): Promise<{ id: number; key: string }> {
  let created = { id: 0, key: '' };
  await withApplication(database.env, async (application) => {
    const { id, key } = await application.createAccount();
    created = { id, key };
  });
  return created;
}

async function query<T>(statement: string): Promise<T[]> {
  const dialect = await createDialect(new Config(database.env));
  const dataSource = await dialect.createDataSource(dataSourceOptions(dialect, new Extensions())).initialize();
  const rows: T[] = await dataSource.query(statement);
  await dataSource.destroy();
  return rows;
}

describe('the first start', () => {
  useDatabase();

  longTestOnce('in production the first start warns that PUBLIC_URL is not set', async () => {
    const env = { ...database.env, NODE_ENV: 'production', HOST: '0.0.0.0' };
    await withServer(env, async (server) => {
      expect(server.said()).toMatch(/"level":"warn".*"message":"PUBLIC_URL is not set, so links lead to this machine: set it to/);
      await server.stop();
    });
  });

  longTest('five processes that start at the same time migrate once, and all serve', async () => {
    const servers = Array.from({ length: 5 }, () => new ServerProcess(database.env));
    try {
      const ports = await Promise.all(servers.map((server) => server.ready()));
      const answers = await Promise.all(ports.map((port) => sendRaw(port, { method: 'GET', path: '/health/ready' })));
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
      expect(servers.filter((server) => KEY.test(server.said()))).toHaveLength(onMysql ? 0 : 1);
      const endings = await Promise.all(servers.map((server) => server.stop()));
      expect(endings.map(({ code }) => code)).toEqual(Array(5).fill(0));
    } finally {
      for (const server of servers) server.signal('SIGKILL');
      await Promise.all(servers.map((server) => server.end()));
    }
    const migrations = await query<{ name: string }>('SELECT name FROM migrations');
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
  });
});

(onMysql ? describe.skip : describe)('a server on a new SQLite file', () => {
  useDatabase(beforeAll, afterAll);
  let server: ServerProcess;
  let port: number;
  let key: string;

  beforeAll(async () => {
    server = new ServerProcess(database.env);
    port = await server.ready();
    [key] = KEY.exec(server.said())!;
  });

  afterAll(async () => {
    server.signal('SIGKILL');
    await server.end();
  });

  /** Sends the bytes, and returns the response up to and including the string. */
  async function exchange(socket: Socket, sent: string, until: string): Promise<string> {
    let received = '';
    socket.write(sent);
    while (!received.includes(until)) received += String((await once(socket, 'data'))[0]);
    return received;
  }

  async function connected(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  /** The first response with `Connection: close`; a few may still be sent without it. */
  async function closingAnswer(socket: Socket): Promise<string> {
    for (;;) {
      const answer = await exchange(socket, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', '{"status":"ok"}');
      if (answer.includes('\r\nConnection: close\r\n')) return answer;
    }
  }

  async function refusesConnections(port: number): Promise<void> {
    for (;;) {
      const refused = await connected(port).then(
        (socket) => void socket.destroy(),
        () => true,
      );
      if (refused) return;
    }
  }

  test('prints the key of a demo account with records of each kind', async () => {
    for (const path of [DOMAINS, HANDLERS, NOTIFICATIONS, ...COLLECTIONS.map(({ api }) => `${SCHEDULING}?api=${api}`)]) {
      const { status, text } = await sendRaw(port, { method: 'GET', path, headers: bearer(key) });
      expect([path, status]).toEqual([path, 200]);
      expect((JSON.parse(text) as { data: object[] }).data.length).toBeGreaterThan(1);
    }
    expect(await query('SELECT name FROM accounts')).toEqual([{ name: 'demo' }]);
  });

  test('SIGTERM finishes requests in flight, closes idle connections and exits with 0', async () => {
    const idle = await connected(port);
    await exchange(idle, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', '{"status":"ok"}');
    const form = 'host=in-flight.example.com';
    const head = [
      `POST ${DOMAINS} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      'Expect: 100-continue',
    ];
    const inFlight = await connected(port);
    await exchange(inFlight, `${head.join('\r\n')}\r\n\r\n`, '100 Continue');

    server.signal('SIGTERM');
    expect(await closingAnswer(idle)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    server.signal('SIGTERM'); // npm forwards signals that the whole group receives
    server.signal('SIGINT');
    await refusesConnections(port);
    expect(await exchange(inFlight, form, '"id":')).toMatch(/^HTTP\/1\.1 201 Created\r\n/);

    const { code, errors } = await server.end();
    expect([code, errors]).toEqual([0, '']);
    inFlight.destroy();
    idle.destroy();
    const log = `${database.env.DATABASE_URL.slice('sqlite:'.length)}-wal`;
    expect(statSync(log, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    expect(await query("SELECT host FROM domains WHERE host = 'in-flight.example.com'")).toHaveLength(1);
  });
});

describe('the log', () => {
  useDatabase(beforeAll, afterAll);
  const SECRET = 'https://hooks.example.com/canary-in-a-body';
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
  let account: { id: number; key: string };
  let ending: Ending;
  let lines: Record<string, unknown>[];

  beforeAll(async () => {
    account = await createAccount();
    const mail = { SMTP_URL: 'smtp://desk:canary@mail.example.com', MAIL_FROM: 'a@example.com' };
    const ofKubernetes = { EDGE_PORT: 'tcp://10.96.0.12:3001', KUBERNETES_PORT: 'tcp://10.96.0.1:443' };
    const env = { ...database.env, ...mail, ...ofKubernetes, CONSOLE: 'off', DELIVERY_CONCURRENCY: '0' }; // without a build, the console would log a line
    ending = await withServer(env, async (server, port) => {
      await sendRequests(port);
      return stopUnready(server, port);
    });
    lines = ending.output
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as Record<string, unknown>);
  });

  async function sendRequests(port: number): Promise<void> {
    const agent = new Agent({ keepAlive: true });
    const send = (name: string, method: string, path: string, body?: object, headers: Record<string, string | string[]> = {}) => {
      const common = { 'X-Request-Id': name, ...bearer(account.key), 'Content-Type': 'application/json' };
      return sendRaw(port, { method, path, headers: { ...common, ...headers }, body: body && JSON.stringify(body) }, agent);
    };
    await send('read', 'GET', `${DOMAINS}/?page=1`, undefined, { traceparent: PARENT });
    await send('created', 'POST', HANDLERS, { name: 'canary-in-a-body', type: 'slack', slack: SECRET });
    await send('refused', 'POST', `${HANDLERS}/7/?access_token=${account.key}&canary=in-a-query`, { slack: `x${SECRET}` });
    await send('closed', 'GET', `${DOMAINS}?access_token=${account.key}`, undefined, bearer('fd_canary-in-a-header'));
    await send('nowhere', 'GET', `/canary-in-a-path/${account.key}`, undefined, { traceparent: PARENT.slice(0, -3) });
    await query("UPDATE notification_handlers SET settings = 'deadbeef.canary'");
    await send('my-fault', 'GET', HANDLERS, undefined, { traceparent: [PARENT, PARENT] });
    agent.destroy();
    await unreadable(port);
  }

  /** Sends malformed HTTP and waits for the response. */
  async function unreadable(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    socket.write('canary is not HTTP\r\n\r\n');
    await once(socket.resume(), 'end');
  }

  async function stopUnready(server: ServerProcess, port: number): Promise<Ending> {
    const agent = new Agent({ keepAlive: true });
    const check = (path: string, method = 'GET') => sendRaw(port, { method, path }, agent);
    for (const path of ['/health/live', '/health/ready/']) expect((await check(path)).status).toBe(200);
    expect((await check('/health/ready', 'HEAD')).status).toBe(200);
    server.signal('SIGTERM');
    while ((await check('/health/ready')).status === 200) await pause(5); // queued connections are accepted first
    agent.destroy();
    return server.end();
  }

  test('consists of JSON lines from the start to the end', () => {
    const line = { level: 'info', time: expect.any(String) as string };
    const off = ['CONSOLE', 'METRICS_PORT', 'EDGE_PORT', 'DOMAIN_CHECKS', 'DELIVERY_CONCURRENCY', 'TWILIO_ACCOUNT_SID'];
    const databaseName = expect.stringMatching(onMysql ? /^(MariaDB|MySQL) \d+\.\d+/ : /^SQLite 3\./) as string;
    const ignored = expect.stringMatching(/^Ignored .*enableServiceLinks: false/) as string;
    expect(lines.filter(({ request_id }) => request_id === undefined)).toEqual([
      { ...line, level: 'warn', context: 'Service', message: ignored, variables: ['EDGE_PORT'] },
      { ...line, context: 'Service', message: 'Started.', version, node: process.version, database: databaseName, off },
      expect.objectContaining({ ...line, msg: expect.stringMatching(/^frontdesk answers at http:\/\/localhost:\d+$/) as string }),
      expect.objectContaining({ ...line, context: 'Service', signal: 'SIGTERM' }),
      { ...line, context: 'Service', message: 'Shut down.' },
    ]);
    expect(ending.code).toBe(0);
  });

  test('has one line per request, except successful health checks, with its trace id', () => {
    const line = { duration_ms: expect.any(Number) as number, time: expect.any(String) as string, level: 'info', msg: 'request' };
    const own = { ...line, account: account.id };
    const nobodys = { ...line, account: null };
    const handler = '/api/notification-handlers/:notification_handler_id';
    const unknown = expect.any(String) as string;
    expect(lines.filter(({ msg }) => msg === 'request')).toEqual([
      { ...own, request_id: 'read', method: 'GET', route: DOMAINS, status: 200, trace_id: TRACE },
      { ...own, request_id: 'created', method: 'POST', route: HANDLERS, status: 201 },
      { ...own, request_id: 'refused', method: 'POST', route: handler, status: 400 },
      { ...nobodys, request_id: 'closed', method: 'GET', route: DOMAINS, status: 401 },
      { ...nobodys, request_id: 'nowhere', method: 'GET', route: null, status: 404 },
      { ...own, request_id: 'my-fault', method: 'GET', route: HANDLERS, status: 500 },
      { ...nobodys, request_id: unknown, duration_ms: 0, method: null, route: null, status: 400 },
      { ...nobodys, request_id: unknown, method: 'GET', route: '/health/ready', status: 503 },
    ]);
  });

  test('has the request id of an internal error', () => {
    expect(ending.output).toMatch(/"level":"error".*"request_id":"my-fault".*SECRETS_KEY/);
  });

  test('contains no key, secret, body, query or stored value', () => {
    const all = ending.output + ending.errors;
    expect(all).not.toMatch(/canary|hooks\.example/);
    expect(all).not.toContain(account.key);
  });
});

describe('an unfinished request', () => {
  useDatabase();

  longTestOnce('is aborted at SIGTERM and logged with the status 499', async () => {
    const { key } = await createAccount();
    await withServer(database.env, async (server, port) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `POST ${DOMAINS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: endless\r\n` +
          'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\nh',
      );
      await sendRaw(port, { method: 'GET', path: '/health/live' });
      const { code, output } = await server.stop();
      expect(code).toBe(0);
      expect(output).toMatch(/"request_id":"endless".*"status":499/);
      socket.destroy();
    });
  });
});

describe('a failed start', () => {
  useDatabase();
  const { path } = useTemporaryFolder();
  const startWith = (env: Record<string, string | undefined>) => new ServerProcess(env).end();

  testOnce('reports every invalid variable without its value', async () => {
    const wrong = {
      PORT: 'wrong-value',
      PUBLIC_URL: 'wrong-value',
      DATABASE_URL: 'postgres://root:wrong-value@localhost/x',
      DATABASE_POOL_SIZE: 'wrong-value',
      WORKERS: 'wrong-value',
      SECRETS_KEY: 'wrong-value',
      LOG_LEVEL: 'wrong-value',
      CORS_ORIGINS: 'wrong-value',
      MIGRATIONS: 'wrong-value',
      RATE_LIMIT: 'wrong-value',
      REDIS_URL: 'redis://:wrong-value@localhost?x',
      METRICS_PORT: 'wrong-value',
    };
    const { code, output, errors } = await startWith(wrong);
    expect([code, output]).toEqual([1, '']);
    for (const name of Object.keys(wrong)) expect(errors).toMatch(new RegExp(`\\b${name} must be`));
    expect(errors).not.toContain('wrong-value');
  });

  longTestOnce('reports a missing SECRETS_KEY on MySQL', async () => {
    const { code, errors } = await startWith({ DATABASE_URL: 'mysql://root:password@127.0.0.1:1/frontdesk' });
    expect(code).toBe(1);
    expect(errors).toMatch(/SECRETS_KEY is required/);
    expect(errors.trim().split('\n')).toHaveLength(1);
  });

  longTest('reports pending migrations with MIGRATIONS=manual', async () => {
    const { code, errors } = await startWith({ ...database.env, MIGRATIONS: 'manual' });
    expect(code).toBe(1);
    expect(errors).toMatch(/frontdesk -- migrate/);
  });

  longTestOnce('reports a port in use before it creates an account', async () => {
    const other = await createDatabase();
    await withServer(other.env, async (_, port) => {
      const { code, output, errors } = await startWith({ ...database.env, PORT: String(port) });
      expect([code, errors]).toEqual([1, expect.stringMatching(/PORT: .*EADDRINUSE/)]);
      expect(output).not.toMatch(KEY);
      expect(await query('SELECT name FROM accounts')).toEqual([]);
    });
    await other.drop();
  });

  longTest('reports an unreachable database without its password', async () => {
    const folder = path('database');
    mkdirSync(folder);
    const unreachable = onMysql
      ? { SECRETS_KEY: database.env.SECRETS_KEY, DATABASE_URL: 'mysql://root:canary@127.0.0.1:1/frontdesk' }
      : { DATABASE_URL: `sqlite:${folder}` }; // its key file is beside it
    const { code, output, errors } = await startWith(unreachable);
    expect(code).toBe(1);
    expect(errors).toMatch(/can't start. DATABASE_URL/);
    expect(output).not.toContain('Retrying');
    expect(output + errors).not.toContain('canary');
  });
});
