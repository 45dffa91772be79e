/** @mysql whole */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, onMysql, type TestDatabase } from '../support/servers/database';
import { type EdgeServer, INDEX_URL, untilEqual, useEdge, withEdge } from '../support/http/edge';
import { freePort } from '../support/servers/free-port.cjs';
import { Line } from '../support/servers/line';
import { sendRaw } from '../support/http/raw-request';
import { DOMAINS, newHost } from '../support/areas/records';
import { ServerProcess } from '../support/servers/server-process';
import { longTest, longTestOnce, sized, testOnce } from '../support/jest/size';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

/** Stops the start, before anything is served. */
async function expectPortRefused(env: Record<string, string>): Promise<void> {
  const taken = createServer().listen(await freePort(), '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const settings = { ...database.env, DEMO: 'off', DOMAIN_CHECKS: 'off', EDGE_PORT: String(port), PATH: process.env.PATH, ...env };
  const { code, output, errors } = await new ServerProcess(settings).end();
  taken.close();
  expect([code, errors]).toEqual([1, expect.stringMatching(/^frontdesk can't start\. EDGE_HOST or EDGE_PORT: listen EADDRINUSE/)]);
  expect(output).not.toContain('answers at');
}

testOnce('an EDGE_PORT in use stops the start', () => expectPortRefused({}));

longTestOnce('the edge accepts no connection when the start fails because PORT is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const [{ port }, edgePort] = [taken.address() as { port: number }, await freePort()];
  const settings = { ...database.env, DEMO: 'off', EDGE_PORT: String(edgePort), PORT: String(port), PATH: process.env.PATH };
  const ended = new ServerProcess(settings).end();
  let [hasEnded, connections] = [false, 0];
  void ended.then(() => (hasEnded = true));
  while (!hasEnded) {
    const socket = connect(edgePort, '127.0.0.1', () => connections++).on('error', () => undefined);
    await once(socket, 'connect').catch(() => undefined);
    socket.destroy();
    await pause(1);
  }
  taken.close();
  expect((await ended).errors).toMatch(/^frontdesk can't start\. HOST or PORT: listen EADDRINUSE/);
  expect(connections).toBe(0);
});

/** The distinct responses to forty new connections, each of which any worker may accept. */
const answers = async (edge: EdgeServer, host: string) => new Set(await Promise.all(Array.from({ length: 40 }, () => edge.location(host))));

async function untilAll(edge: EdgeServer, host: string, expected: string | number): Promise<void> {
  for (let rounds = 0; rounds < 5;) {
    const given = await answers(edge, host);
    rounds = given.size === 1 && given.has(expected) ? rounds + 1 : 0;
    if (rounds === 0) await pause(20);
  }
}

/** A request that is in progress when the server ends is completed, and its connection closed; new ones are refused. */
async function expectDrain(edge: EdgeServer, host: string): Promise<void> {
  const socket = connect(edge.edgePort, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\n');
  await edge.get(host);
  const ended = edge.process.stop();
  while ((await edge.get(host).catch(() => undefined)) !== undefined) await pause(20); // until new connections are refused
  let received = '';
  socket.on('data', (bytes) => (received += bytes.toString()));
  socket.write(`Host: ${host}\r\n\r\n`);
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 302 /);
  expect(received).toContain('\r\nConnection: close\r\n');
  expect((await ended).code).toBe(0);
}

/** A connection, once one is not refused. */
async function untilConnected(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isConnected) return socket;
    await pause(20);
  }
}

testOnce('shutdown completes requests in progress and closes connections', () =>
  withEdge(database, {}, (edge) => expectDrain(edge, edge.takeLive().host)),
);

longTestOnce('an edge process that dies is replaced, and connections wait for the replacement', () =>
  withEdge(database, {}, async (edge) => {
    const { id, host } = edge.takeLive();
    const [died] = edge.process.workers();
    process.kill(died, 'SIGKILL');
    let next = died;
    for (; next === died; await pause(1)) [next = died] = edge.process.workers();
    process.kill(next, 'SIGSTOP'); // before it listens
    const early = await untilConnected(edge.edgePort);
    process.kill(next, 'SIGCONT');
    early.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await text(early)).toContain(`\r\nLocation: ${INDEX_URL}\r\n`);
    await edge.send('POST', `${DOMAINS}/${id}`, { custom_index_url: 'https://example.net/after' });
    await untilEqual(() => edge.location(host).catch(() => undefined), 'https://example.net/after');
    expect(edge.process.workers()).not.toContain(died);
    expect(await edge.process.stop()).toMatchObject({
      code: 0,
      errors: `frontdesk: worker ${died} exited (SIGKILL); starting a replacement.\n`,
    });
  }),
);

if (onMysql) {
  test('an EDGE_PORT in use stops the start of several workers', () => expectPortRefused({ WORKERS: '2' }));

  describe('an outage of the database', () => {
    let line: Line;
    const served = useEdge(async ({ env }) => {
      line = await Line.to(env.DATABASE_URL);
      return { DATABASE_URL: line.url };
    });
    afterAll(() => line?.cut());

    test('hosts in memory are served, and unknown hosts are a 503', async () => {
      const edge = served();
      const { id, host } = await edge.createLive();
      const [no, never] = [newHost(), newHost()];
      expect(await edge.ask(no)).toBe(404);
      await line.cut();
      await untilEqual(() => edge.ask(newHost()), 503);
      expect([await edge.location(host), await edge.ask(host)]).toEqual([INDEX_URL, 200]);
      expect([await edge.ask(no), await edge.ask(never), await edge.location(never)]).toEqual([503, 503, 503]);
      expect((await edge.get('localhost', `/.frontdesk/ask?domain=${never}`)).headers['retry-after']).toMatch(/^[1-9]\d*$/);
      await line.mend();
      await untilEqual(() => edge.ask(never), 404);
      await edge.send('POST', `${DOMAINS}/${id}`, { custom_index_url: 'https://example.net/after' });
      await untilEqual(() => edge.location(host), 'https://example.net/after');
    });

    test('hosts in memory are served while the database hangs', async () => {
      const edge = served();
      const { host } = await edge.createLive();
      line.freeze();
      await untilEqual(() => edge.ask(newHost()), 503);
      expect([await edge.location(host), await edge.ask(host)]).toEqual([INDEX_URL, 200]);
      line.thaw();
      await untilEqual(() => edge.ask(newHost()), 404);
    });
  });

  test('workers share the port, apply every change and complete requests in progress on shutdown', async () => {
    await withEdge(database, { WORKERS: String(sized(2, 4)), LOG_LEVEL: 'warn' }, async (edge) => {
      const [live, changed] = [edge.takeLive(), edge.takeLive()];
      await untilAll(edge, live.host, INDEX_URL);
      await untilAll(edge, changed.host, INDEX_URL);
      await edge.send('POST', `${DOMAINS}/${changed.id}`, { custom_index_url: 'https://example.net/new' });
      await untilAll(edge, changed.host, 'https://example.net/new');
      await edge.send('DELETE', `${DOMAINS}/${changed.id}`);
      await untilAll(edge, changed.host, 404);
      await expectDrain(edge, live.host);
    });
  });

  longTest('four workers are replaced without a failed request', async () => {
    await withEdge(database, { WORKERS: '4', LOG_LEVEL: 'warn' }, async (edge) => {
      const { id, host } = edge.takeLive();
      await untilAll(edge, host, INDEX_URL);
      const failed: unknown[] = [];
      let [isOver, answered] = [false, 0];
      const clients = Array.from({ length: 4 }, async (_, index) => {
        const agent = new Agent({ keepAlive: index % 2 === 1, maxSockets: 1 });
        while (!isOver) {
          const request = sendRaw(edge.edgePort, { method: 'GET', path: '/', headers: { Host: host } }, agent);
          const status = await request.then((answer) => answer.status).catch((error: Error) => error.message);
          if (status === 302) answered++;
          else failed.push(status);
        }
        agent.destroy();
      });
      const before = edge.process.workers();
      edge.process.signal('SIGHUP');
      const isReplaced = (workers: number[]) => workers.length === before.length && !workers.some((pid) => before.includes(pid));
      while (!isReplaced(edge.process.workers())) await pause(50);
      isOver = true;
      await Promise.all(clients);
      expect(answered).toBeGreaterThan(0);
      expect(failed).toEqual([]);
      await edge.send('POST', `${DOMAINS}/${id}`, { custom_index_url: 'https://example.net/newer' });
      await untilAll(edge, host, 'https://example.net/newer');
      expect((await edge.process.stop()).code).toBe(0);
    });
  });
}
