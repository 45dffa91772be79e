/** @mysql whole */
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Metrics } from '../../../src/platform/observability/metrics';
import { FORM_TYPES } from '../../../src/platform/http/input/request-body';
import { drainServer } from '../../../src/platform/http/server/connections';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
import { expectErrors } from '../../support/http/errors';
import { until } from '../../support/jest/clock';
import { freePort } from '../../support/servers/free-port.cjs';
import { DOMAINS, HANDLERS, MESSAGES, newHost } from '../../support/areas/records';
import { SCHEDULING } from '../../support/areas/scheduling-interface';
import { withServer } from '../../support/servers/server-process';
import { longTestOnce } from '../../support/jest/size';

const { application, database } = useApplication(async () => ({ METRICS_PORT: String(await freePort()) }));
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

const [, URLENCODED] = FORM_TYPES;
const connected = (port = application().port) => connect(port, '127.0.0.1').on('error', () => undefined);
const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${account.key}`, ...headers].join('\r\n')}\r\n\r\n`;
const creating = (host: string) => {
  const body = `host=${host}`;
  return head('POST', DOMAINS, `Content-Type: ${URLENCODED}`, `Content-Length: ${body.length}`) + body;
};
const isAlive = () => application().client().get('/health/live').expect(200);

/** Everything that the service sends until it closes the connection. */
async function exchange(bytes: string): Promise<string> {
  const socket = connected();
  socket.write(bytes);
  return text(socket);
}

/** The statuses of all responses to these bytes. */
const statusesOf = async (bytes: string) => [...(await exchange(bytes)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('keeps an idle connection open longer than any proxy does', async () => {
  const { headers } = await application().client().get('/health/live').set('Connection', 'keep-alive').expect(200);
  expect(headers['keep-alive']).toBe('timeout=620');
});

test('a draining server responds on connections that it has yet to accept', async () => {
  const server = createServer((_request, response) => response.end('done'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  const answers = sockets.map((socket) => text(socket).catch(({ code }: NodeJS.ErrnoException) => code));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await drainServer(server, () => undefined);
  expect(await Promise.all(answers)).toEqual(answers.map(() => expect.stringMatching(/done$/)));
});

test('a draining server responds to a request that arrived while the process did not run', async () => {
  const server = createServer((_request, response) => response.end('done'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  socket.write(request);
  await once(socket, 'data'); // the connection is kept alive
  const answer = text(socket);
  const announced = new EventEmitter();
  const drained = drainServer(server, () => announced.emit('announced'));
  await once(announced, 'announced');
  await yieldToEventLoop(); // the event loop runs timers next, and only then reads from sockets
  socket.write(request);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await drained;
  expect(await answer).toMatch(/done$/);
});

describe('a malformed request', () => {
  test.each([
    ['an unknown method', 'BLAH\r\n\r\n', { code: 'malformed_request' }],
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\n\r\n', { code: 'malformed_request' }],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n', { code: 'malformed_request', source: 'header.Host' }],
    ['too long a header', `GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, { code: 'payload_too_large' }],
  ] as const)('returns an error in the documented format: %s', async (_, bytes, error) => {
    const [top, body] = (await exchange(bytes)).split('\r\n\r\n');
    const [status, ...lines] = top.split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ')).map(([name, value]) => [name.toLowerCase(), value]));
    expectErrors({ status: Number(status.split(' ')[1]), headers, text: body }, error);
  });

  test.each([
    ['a repeated Authorization', `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['a second Host after 1,100 headers', `GET / HTTP/1.1\r\nHost: x\r\n${'A:\r\n'.repeat(1_100)}Host: y\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['HTTP/0.9', 'GET /health/live HTTP/0.9\r\nHost: x\r\nConnection: keep-alive\r\n\r\n'],
    ['HTTP/2.0', 'GET /health/live HTTP/2.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n'],
  ])('closes the connection, so that no pipelined request runs: %s', async (_, ambiguous) => {
    const host = newHost();
    const answers = await exchange(ambiguous + creating(host));
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answers).toMatch(/Connection: close.*"code":"malformed_request"/s);
    expect((await application().rows('domains')).map((row) => row.host)).not.toContain(host);
  });

  test('does not affect the response to the request before it', async () => {
    const host = newHost();
    expect(await statusesOf(`${creating(host)}GARBAGE\r\n\r\n`)).toEqual([201]);
    expect((await application().rows('domains')).map((row) => row.host)).toContain(host);
  });
});

test('accepts 1,100 headers', async () => {
  expect(await statusesOf(head('GET', '/health/live', ...Array<string>(1_100).fill('A:'), 'Connection: close'))).toEqual([200]);
});

describe('an unusual request', () => {
  const firstAnswer = async (line: string, ...headers: string[]) => {
    const socket = connected();
    socket.write([line, 'Host: x', `Authorization: Bearer ${account.key}`, ...headers, '\r\n'].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString();
  };

  test.each([
    ['POST /api/domains HTTP/1.1', 'Content-Length: 1000000000', /^HTTP\/1.1 413 .*"code":"payload_too_large"/s],
    ['POST /api/domains HTTP/1.1', 'Content-Length: 9\r\nContent-Encoding: gzip', /^HTTP\/1.1 415 .*"code":"unsupported_media_type"/s],
  ])('is rejected before its body arrives: %s %j', async (line, headers, expected) => {
    expect(await firstAnswer(line, headers)).toMatch(expected);
  });

  test.each([
    ['GET http:// HTTP/1.1', /^HTTP\/1.1 404 .*X-Request-Id: .*"code":"not_found"/s],
    ['GET http://[/api/domains HTTP/1.1', /^HTTP\/1.1 404 .*X-Request-Id: .*"code":"not_found"/s],
    ['GET * HTTP/1.1', /^HTTP\/1.1 404 .*X-Request-Id: .*"code":"not_found"/s],
    ['GET http://elsewhere.example.com/api/domains HTTP/1.1', /^HTTP\/1.1 200 /],
    ['GET /api/domains HTTP/1.0', /^HTTP\/1.1 200 /],
    ['CONNECT elsewhere.example.com:443 HTTP/1.1', /^HTTP\/1.1 404 .*"code":"not_found"/s],
    ['CONNECT /api/domains HTTP/1.1', /^HTTP\/1.1 405 .*Allow: GET, HEAD, POST.*"code":"method_not_allowed"/s],
  ])('gets a response: %s', async (line, expected) => {
    expect(await firstAnswer(line)).toMatch(expected);
  });

  test('may have an unknown Expect header', async () => {
    expect(await firstAnswer('GET /api/domains HTTP/1.1', 'Expect: foo')).toMatch(/^HTTP\/1.1 200 /);
  });

  test('needs no Host in HTTP/1.0', async () => {
    expect(await exchange('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 .*{"status":"ok"}$/s);
  });
});

describe('CONNECT', () => {
  const line = (request: string) => `${request} HTTP/1.1\r\nHost: a:1\r\n\r\n`;

  test('affects only its own connection, whether the client resets it or not', async () => {
    const socket = connected();
    socket.write(line('CONNECT example.com:443'));
    socket.resetAndDestroy();
    expect(await statusesOf(line('CONNECT example.com:443'))).toEqual([404]); // and our side is closed, though the client's is not
    await isAlive();
  });

  test.each([
    ['GET /health/live', [200, 404]],
    ['GET /api/domains', [401, 404]],
    ['CONNECT a:1', [404]], // no request follows a CONNECT
  ])('is handled after the pipelined %s', async (first, statuses) => {
    expect(await statusesOf(line(first) + line('CONNECT b:1'))).toEqual(statuses);
    await isAlive();
  });

  test('may be reset while it waits for an earlier response', async () => {
    for (let round = 0; round < 20; round++) {
      const socket = connected();
      await once(socket, 'connect');
      socket.write(line('GET /api/domains') + line('CONNECT b:1'));
      setImmediate(() => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    await isAlive();
  });
});

describe('a chunked body over the limit', () => {
  const LIMIT = 64 * 1024;
  const ROUTES = ['/acknowledge/x', '/callbacks/twilio', DOMAINS, `${DOMAINS}/1`, HANDLERS, MESSAGES, '/api/keys', `${HANDLERS}/1/test`];

  /** Sends pieces after the limit too, for as long as the connection is open. */
  async function sendChunks(path: string, type: string, piece: number): Promise<string> {
    const socket = connected();
    const received = text(socket).catch(() => '');
    socket.write(head('POST', path, `Content-Type: ${type}`, 'Transfer-Encoding: chunked'));
    const chunk = `${piece.toString(16)}\r\n${'a'.repeat(piece)}\r\n`;
    for (let sent = 0; sent < 4 * LIMIT && !socket.destroyed; sent += piece) {
      if (!socket.write(chunk)) await new Promise((go) => socket.once('drain', go).once('close', go));
      await new Promise(setImmediate);
    }
    socket.end('0\r\n\r\n');
    return received;
  }

  test.each(ROUTES)('gets one response and does not end the process: %s', async (path) => {
    for (const type of [...FORM_TYPES.slice(1), 'multipart/form-data; boundary=b']) {
      for (const piece of [1_024, LIMIT, LIMIT + 1]) {
        const received = await sendChunks(path, type, piece);
        expect(received.match(/HTTP\/1.1 (\d+)/g)?.length ?? 0).toBeLessThanOrEqual(1); // none if the reset overtakes it
        await isAlive();
      }
    }
  });

  test('returns 413 and closes the connection before the body ends', async () => {
    const start = head('POST', DOMAINS, `Content-Type: ${URLENCODED}`, 'Transfer-Encoding: chunked');
    const answer = await exchange(`${start}${(LIMIT + 1).toString(16)}\r\n${'a'.repeat(LIMIT + 1)}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*"A body may have at most 65536 bytes."/s);
  });
});

describe('a client that disconnects with pipelined requests', () => {
  /** An event wait for a type that nothing here creates, so that the requests after it have to wait. */
  const WAIT = '/api/events?after=latest&types=domain.deleted&wait=30';

  /** Sends the requests after an event wait, and resets the connection once the service has handled them. */
  async function disconnect(requests: string[], areHandled: () => Promise<unknown>): Promise<void> {
    const accepted = once(application().server, 'connection') as Promise<[Socket]>;
    const socket = connected();
    const [atServer] = await accepted;
    socket.write([head('GET', WAIT), ...requests].join(''));
    await areHandled();
    const closed = new Promise((go) => atServer.once('close', go));
    socket.resetAndDestroy();
    await closed;
  }

  test('releases the slots of its whole scheduling lists', async () => {
    const list = `${SCHEDULING}?api=agendamentos`;
    const isFull = () =>
      until(
        () => account.client.get(list),
        ({ status }) => status === 503,
      );
    await disconnect(
      Array.from({ length: 40 }, () => head('GET', list)),
      isFull,
    );
    await account.client.get(list).expect(200);
  });

  const figures = () => application().app.get(Metrics).registry.metrics();

  test('releases its event waits', async () => {
    await disconnect(Array(7).fill(head('GET', WAIT)), () => until(async () => /^frontdesk_event_waits 8$/m.test(await figures())));
    const answers = await Promise.all(Array.from({ length: 8 }, () => account.client.get(WAIT.replace('30', '1'))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  const hasDomain = async () => (await account.client.get(DOMAINS)).text.includes('"total":1');
  const COUNTED = /^http_requests_total\{method="POST",route="\/api\/domains",status="499"\} (\d+)$/m;
  const disconnected = async () => Number(COUNTED.exec(await figures())?.[1] ?? 0);

  test('has its requests counted with the status 499', async () => {
    const before = await disconnected(); // another test may have disconnected, too
    await disconnect([creating(newHost())], () => until(hasDomain));
    await until(disconnected, (count) => count === before + 1);
  });

  longTestOnce('has its requests logged with the status 499', async () => {
    await withServer({ ...database().env, PATH: process.env.PATH }, async (server, port) => {
      const socket = connected(port);
      socket.write(head('GET', WAIT) + creating(newHost()));
      await until(hasDomain);
      socket.resetAndDestroy();
      await until(() => /"method":"POST","route":"\/api\/domains\/?","status":499/.test(server.said()));
    });
  });
});
