/** @mysql whole */
import { version } from '../../../package.json';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Admission } from '../../../src/platform/quotas/admission.guard';
import { Config } from '../../../src/platform/config/config';
import { Metrics } from '../../../src/platform/observability/metrics';
import { serveMetrics } from '../../../src/platform/observability/metrics-server';
import { withApplication } from '../../support/http/application';
import { holdTimeouts } from '../../support/jest/clock';
import { createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { freePort } from '../../support/servers/free-port.cjs';
import { Line } from '../../support/servers/line';
import { type RawAnswer, sendRaw } from '../../support/http/raw-request';
import { DOMAINS } from '../../support/areas/records';
import { ServerProcess, withServer } from '../../support/servers/server-process';
import { longTest, longTestOnce, testOnce } from '../../support/jest/size';

let database: TestDatabase;
let key: string;
let metricsPort: number;

beforeAll(async () => {
  database = await createDatabase();
  await withApplication(database.env, async (application) => {
    key = (await application.createAccount()).key;
  });
});

beforeEach(async () => {
  metricsPort = await freePort();
});

afterAll(() => database.drop());

type Environment = Record<string, string | undefined>;

type Send = (path: string, method?: string) => Promise<RawAnswer>;

const sendTo =
  (port: number): Send =>
  (path, method = 'GET') =>
    sendRaw(port, { method, path, headers: { Authorization: `Bearer ${key}` } });

/** Lends an application that serves metrics, and a function that sends it requests with the key. */
async function withMetrics(env: Environment, work: (send: Send, port: number) => Promise<void>): Promise<void> {
  await withApplication({ ...database.env, METRICS_PORT: String(metricsPort), ...env }, async (application) => {
    const { registry } = application.app.get(Metrics);
    const server = await serveMetrics(metricsPort, '127.0.0.1', () => registry.metrics());
    try {
      await work(sendTo(application.port), application.port);
    } finally {
      server.close().closeAllConnections();
      await once(server, 'close');
    }
  });
}

/** The same with a server in a process of its own. */
async function withProcesses(env: Environment, work: (send: Send, server: ServerProcess) => Promise<void>): Promise<void> {
  await withServer({ ...database.env, METRICS_PORT: String(metricsPort), PATH: process.env.PATH, ...env }, (server, port) =>
    work(sendTo(port), server),
  );
}

async function figures(): Promise<string> {
  const { status, headers, text } = await sendRaw(metricsPort, { method: 'GET', path: '/metrics' });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return text;
}

/** Sends raw bytes and waits for the end of the response. */
async function write(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  await once(socket.resume(), 'end');
  socket.destroy();
}

/** Value of a metric, named with its labels. */
function valueOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

const requests = (method: string, route: string, status: number) =>
  `http_requests_total{method="${method}",route="${route}",status="${status}"}`;

testOnce('requests are counted and timed by route', async () => {
  await withMetrics({}, async (send) => {
    expect(valueOf(await figures(), requests('GET', '/api/domains', 200))).toBeUndefined();
    for (let count = 0; count < 3; count++) await send(`${DOMAINS}?page=1`);
    await send(`${DOMAINS}/999999999`);
    await send('/health/live', 'HEAD');

    const text = await figures();
    expect(valueOf(text, requests('GET', '/api/domains', 200))).toBe(3);
    expect(valueOf(text, requests('GET', '/api/domains/:domain_id', 404))).toBe(1);
    expect(valueOf(text, requests('HEAD', '/health/live', 200))).toBe(1);
    const labels = 'method="GET",route="/api/domains"';
    expect(valueOf(text, `http_request_duration_seconds_count{${labels}}`)).toBe(3);
    expect(valueOf(text, `http_request_duration_seconds_bucket{le="+Inf",${labels}}`)).toBe(3);
    expect(valueOf(text, `http_request_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes']) {
      expect([name, valueOf(text, name)]).toEqual([name, expect.any(Number)]);
    }
  });
});

testOnce('labels are route templates and known values, never text from the request', async () => {
  await withMetrics({}, async (send, port) => {
    const hostile = [
      '/canary',
      '//canary',
      '/api/domains/7/canary',
      '/docs/canary',
      '/%00canary',
      '/api/domains/%E0canary',
      '/api/domains/canary',
    ];
    for (const path of hostile) await send(path);
    for (let count = 0; count < 20; count++) await send(`/canary/${count}?key=${key}`);
    for (const method of ['PROPFIND', 'MKCOL', 'PUT']) await send('/canary', method);
    for (const bytes of ['CONNECT canary:80 HTTP/1.1\r\nHost: a\r\n\r\n', 'canary is not HTTP\r\n\r\n']) await write(port, bytes);
    await send(DOMAINS, 'PATCH');
    await send('/docs/');

    const text = await figures();
    expect(text).not.toMatch(/canary|fd_/);
    expect(text).not.toContain(key);
    const labels = new Set([...text.matchAll(/http_requests_total\{(.*)\}/g)].map(([, found]) => found));
    expect([...labels].sort()).toEqual([
      'method="GET",route="/api/domains/:domain_id",status="400"',
      'method="GET",route="/docs",status="200"',
      'method="GET",route="none",status="400"',
      'method="GET",route="none",status="404"',
      'method="PATCH",route="none",status="405"',
      'method="PUT",route="none",status="404"',
      'method="other",route="none",status="400"',
      'method="other",route="none",status="404"',
    ]);
  });
});

testOnce('rejected requests are counted by reason', async () => {
  await withMetrics({ RATE_LIMIT: '1' }, async (send) => {
    await send(DOMAINS);
    await send(DOMAINS);
    await send(DOMAINS);
    expect(valueOf(await figures(), 'http_requests_rejected_total{reason="rate_limit"}')).toBe(2);
    expect(valueOf(await figures(), requests('GET', '/api/domains', 429))).toBe(2);
  });
});

testOnce('METRICS_PORT serves only GET and HEAD /metrics, with the API’s header limit', async () => {
  await withMetrics({}, async (send) => {
    const at = (method: string, path: string, headers = {}) => sendRaw(metricsPort, { method, path, headers });
    const head = await at('HEAD', '/metrics');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(1_000);
    expect((await at('GET', '/metrics?name=x')).status).toBe(200);
    for (const path of ['/', '/metrics/', '/metrics/x', '/Metrics', '/health/live', DOMAINS])
      expect([path, (await at('GET', path)).status]).toEqual([path, 404]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await at(method, '/metrics');
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
    expect((await at('GET', '/metrics', { 'X-Long': 'x'.repeat(17_000) })).status).toBe(431);
    expect((await send('/metrics')).status).toBe(404);
  });
});

describe('the Host header of requests to METRICS_PORT', () => {
  const OWN = ['127.0.0.1', '127.8.9.10:9464', 'localhost', 'LocalHost.:9464', '[::1]', '[0:0:0:0:0:0:0:1]:9464'];
  const LISTED = ['prometheus.internal', 'Frontdesk_1:80', '10.0.0.7', '[fd00::7]'];
  const FOREIGN = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:9464', '0x7f.1', '[evil]', 'a:b:c'];
  const OTHER_ADDRESSES = ['192.0.2.9', '[2001:db8::9]:9464', '[::ffff:192.0.2.9]'];

  test.each<[string, string, string[], string[]]>([
    ['loopback names only', '127.0.0.1', OWN, [...LISTED, ...FOREIGN, ...OTHER_ADDRESSES]],
    ['loopback names only', 'localhost', OWN, [...LISTED, ...FOREIGN, ...OTHER_ADDRESSES]],
    ['loopback names and any IP address, which can’t be rebound', '0.0.0.0', [...OWN, ...OTHER_ADDRESSES, '10.0.0.7'], FOREIGN],
  ])('%s are accepted with METRICS_HOST=%s', async (_, host, own, foreign) => {
    await serving(host, [], async () => {
      for (const name of own) expect([name, (await figuresAt(name)).status]).toEqual([name, 200]);
      for (const name of foreign) {
        const { status, text } = await figuresAt(name);
        expect([name, status, text]).toEqual([name, 421, expect.stringContaining('METRICS_ALLOWED_HOSTS')]);
      }
    });
  });

  test('METRICS_ALLOWED_HOSTS accepts further names and addresses', async () => {
    const { metricsAllowedHosts } = new Config({ METRICS_ALLOWED_HOSTS: 'Prometheus.internal, frontdesk_1.,10.0.0.7,fd00:0::7' });
    await serving('127.0.0.1', metricsAllowedHosts, async () => {
      for (const name of [...OWN, ...LISTED]) expect([name, (await figuresAt(name)).status]).toEqual([name, 200]);
      for (const name of [...FOREIGN, ...OTHER_ADDRESSES]) expect([name, (await figuresAt(name)).status]).toEqual([name, 421]);
    });
  });

  const figuresAt = (name: string) => sendRaw(metricsPort, { method: 'GET', path: '/metrics', headers: { Host: name } });

  async function serving(host: string, allowed: readonly string[], work: () => Promise<void>): Promise<void> {
    const server = await serveMetrics(metricsPort, host, () => Promise.resolve(''), allowed);
    await work().finally(() => server.close().closeAllConnections());
  }
});

longTestOnce('a METRICS_PORT in use stops the start, and a stopped service frees it', async () => {
  await withProcesses({}, async (send, server) => {
    await send(DOMAINS);
    expect(valueOf(await figures(), requests('GET', '/api/domains', 200))).toBe(1);
    const other = await createDatabase();
    const { code, errors } = await new ServerProcess({ ...other.env, METRICS_PORT: String(metricsPort) }).end();
    expect([code, errors]).toEqual([1, expect.stringMatching(/METRICS_PORT: .*EADDRINUSE/)]);
    await other.drop();
    expect((await server.stop()).code).toBe(0);
    await expect(figures()).rejects.toThrow('ECONNREFUSED');
  });
});

testOnce('no metrics are collected without METRICS_PORT', async () => {
  await withApplication(database.env, async (application) => {
    await application.client(key).get(DOMAINS).expect(200);
    const text = await application.app.get(Metrics).registry.metrics();
    expect(text.split('\n').filter((line) => line && !line.startsWith('#'))).toEqual([]);
  });
});

testOnce('requests in flight, queued and rejected by admission are measured', async () => {
  await withApplication({ ...database.env, METRICS_PORT: String(metricsPort), MAX_IN_FLIGHT: '1' }, async (application) => {
    const metrics = application.app.get(Metrics);
    const admission = application.app.get(Admission);
    expect(admission.tryAcquire(7)).toBe(true);
    holdTimeouts();
    const waiting = application.client(key).get(DOMAINS).then();
    while (admission.waiting === 0) await nextTurn();
    const text = await metrics.registry.metrics();
    expect([valueOf(text, 'http_requests_in_flight'), valueOf(text, 'http_requests_queued')]).toEqual([1, 1]);

    jest.advanceTimersByTime(1_000);
    jest.useRealTimers();
    expect((await waiting).status).toBe(503);
    admission.release(7);
    while (admission.inFlight > 0) await nextTurn(); // slots are released a turn of the event loop later
    const after = await metrics.registry.metrics();
    expect([valueOf(after, 'http_requests_in_flight'), valueOf(after, 'http_requests_queued')]).toEqual([0, 0]);
    expect(valueOf(after, 'http_requests_rejected_total{reason="overload"}')).toBe(1);
  });
});

test('metrics include the database’s state, the build and the domains by status', async () => {
  const other = await createDatabase();
  await withProcesses({ ...other.env, DEMO: 'off' }, async () => {
    const text = await figures();
    expect(valueOf(text, 'frontdesk_database_up')).toBe(1);
    const build = new RegExp(
      `^frontdesk_build_info{version="${version}",database="${onMysql ? '(MariaDB|MySQL)' : 'SQLite'} [0-9.]+"} 1$`,
      'm',
    );
    expect(text).toMatch(build);
    for (const status of ['pending', 'verified', 'failed'])
      expect([status, valueOf(text, `frontdesk_domains{status="${status}"}`)]).toEqual([status, 0]);
  });
  await other.drop();
});

if (onMysql) {
  test('metrics read from the database have no values while it hangs', async () => {
    const read = ['frontdesk_deliveries_pending', 'frontdesk_deliveries_late_seconds', 'frontdesk_domain_checks_late_seconds'];
    const readable = (text: string) => [...read, 'frontdesk_domains{status="pending"}'].filter((name) => valueOf(text, name) !== undefined);
    const line = await Line.to(database.env.DATABASE_URL);
    await withMetrics({ DATABASE_URL: line.url }, async () => {
      const before = await figures();
      expect([valueOf(before, 'frontdesk_database_up'), readable(before).length]).toEqual([1, 4]);
      line.freeze();
      while (valueOf(await figures(), 'frontdesk_database_up') !== 0) await pause(20);
      expect(readable(await figures())).toEqual([]);
      line.thaw();
      while (valueOf(await figures(), 'frontdesk_database_up') !== 1) await pause(20);
      while (readable(await figures()).length < 4) await pause(20);
    });
    await line.cut();
  });

  test('the connections of the pool are measured', async () => {
    await withMetrics({}, async (send) => {
      await send(DOMAINS);
      const text = await figures();
      expect(valueOf(text, 'database_pool_open_connections')).toBeGreaterThanOrEqual(1);
      expect(valueOf(text, 'database_pool_idle_connections')).toBeGreaterThanOrEqual(1);
      expect(valueOf(text, 'database_pool_waiting_queries')).toBe(0);
    });
  });

  longTest('metrics of several workers are summed, and no counter drops when a worker exits', async () => {
    await withProcesses({ WORKERS: '2', LOG_LEVEL: 'warn' }, async (send, server) => {
      const counted = async () => valueOf(await figures(), requests('GET', '/api/domains', 200));
      for (let count = 0; count < 20; count++) await send(DOMAINS);
      expect(await counted()).toBe(20);
      expect(valueOf(await figures(), 'database_pool_open_connections')).toBeGreaterThanOrEqual(2);

      const [first] = server.workers();
      process.kill(first, 'SIGKILL');
      while (server.workers().includes(first) || server.workers().length < 2) await pause(50);
      expect(await counted()).toBe(20);
      for (let count = 0; count < 4; count++) await send(DOMAINS);
      expect(await counted()).toBe(24);
      expect((await server.stop()).code).toBe(0);
    });
  });

  longTest('a worker that hangs does not delay the metrics of the others', async () => {
    await withProcesses({ WORKERS: '2', LOG_LEVEL: 'warn' }, async (send, server) => {
      for (let count = 0; count < 10; count++) await send(DOMAINS);
      await figures();
      const [first] = server.workers();
      process.kill(first, 'SIGSTOP');
      expect(valueOf(await figures(), requests('GET', '/api/domains', 200))).toBe(10);
      process.kill(first, 'SIGCONT');
      expect((await server.stop()).code).toBe(0);
    });
  });

  longTest('a METRICS_PORT in use stops the start of several workers, too', async () => {
    await withMetrics({}, async () => {
      const { code, output, errors } = await new ServerProcess({ ...database.env, WORKERS: '2', METRICS_PORT: String(metricsPort) }).end();
      expect([code, output, errors]).toEqual([1, '', expect.stringMatching(/METRICS_PORT: .*EADDRINUSE/)]);
    });
  });
} else {
  test('the embedded database has no pool metrics', async () => {
    await withMetrics({}, async () => {
      expect(await figures()).not.toMatch(/^database_pool/m);
    });
  });
}
