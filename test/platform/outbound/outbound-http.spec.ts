import { setMaxListeners } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { version } from '../../../package.json';
import type { Outbound } from '../../../src/platform/outbound/outbound';
import { holdTimeouts } from '../../support/jest/clock';
import { closeOutbound, DEADLINE_MS, failureOf, openOutbound, requestTo, sendOptions } from '../../support/areas/outbound';
import { ByteServer } from '../../support/servers/byte-server';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const KIBIBYTE = 1_024;
const WANTS_BODY = { readsBody: () => true };

const receivers: ByteServer[] = [];
let outbound: Outbound;

beforeEach(() => {
  outbound = openOutbound();
});

afterEach(async () => {
  jest.useRealTimers();
  closeOutbound();
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const isWhole = (text: string) => text.endsWith('\r\n\r\n{}');

/** A receiver that sends bytes once a request of `requestTo` is complete, and may then end or reset the connection. */
async function receiverThatSends(bytes: string | Buffer, then?: 'end' | 'reset'): Promise<ByteServer> {
  const receiver = await ByteServer.start((socket, text) => {
    if (!isWhole(text)) return;
    if (bytes.length > 0) socket.write(bytes);
    if (then === 'end') socket.end();
    if (then === 'reset') socket.resetAndDestroy();
  });
  receivers.push(receiver);
  return receiver;
}

const head = (...lines: string[]) => [...lines, '', ''].join('\r\n');

describe('an outgoing request', () => {
  test('post() sends the given headers and those of the service', async () => {
    const receiver = await receiverThatSends(OK);
    const headers = { 'Content-Type': 'application/json', 'user-agent': 'mine', 'accept-encoding': 'gzip', host: 'mine' };
    await outbound.post(requestTo(`${receiver.url}/a?b=c#d`, { headers, body: '{"ü":{}' + '\r\n\r\n{}' }), sendOptions());
    const [start, ...lines] = receiver.received[0].split('\r\n');
    expect(start).toBe('POST /hook/a?b=c HTTP/1.1');
    expect(lines.slice(0, 6).sort()).toEqual([
      'Accept-Encoding: identity',
      'Connection: keep-alive',
      'Content-Length: 14',
      'Content-Type: application/json',
      `Host: 127.0.0.1:${receiver.port}`,
      `User-Agent: frontdesk/${version}`,
    ]);
    expect(lines.slice(6)).toEqual(['', Buffer.from('{"ü":{}').toString('latin1'), '', '{}']);
  });

  test('proxy variables of the environment are ignored', async () => {
    const proxy = await receiverThatSends(OK);
    const receiver = await receiverThatSends(OK);
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
    try {
      const { status } = await openOutbound().post(requestTo(receiver.url), sendOptions());
      expect([status, proxy.sockets.length]).toEqual([200, 0]);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  test('a trusted URL may have any address', async () => {
    const receiver = await receiverThatSends(OK);
    const strict = openOutbound({ OUTBOUND_ALLOW: '' });
    const url = `http://localhost:${receiver.port}/`;
    expect(await strict.post(requestTo(url, { isTrusted: true }), sendOptions())).toMatchObject({ status: 200 });
    expect(await failureOf(strict.post(requestTo(url), sendOptions()))).toEqual(['blocked_address', false]);
    expect(receiver.received[0]).toContain(`\r\nHost: localhost:${receiver.port}\r\n`);
  });
});

describe('the response of a receiver', () => {
  test('status, headers and, if readsBody returns true, the body are returned', async () => {
    const receiver = await receiverThatSends(OK);
    expect(await outbound.post(requestTo(receiver.url), sendOptions())).toEqual({
      status: 200,
      headers: { 'content-length': '2' },
      body: '',
    });
    expect(await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions())).toMatchObject({ status: 200, body: 'ok' });
  });

  test('redirects are not followed', async () => {
    const other = await receiverThatSends(OK);
    const receiver = await receiverThatSends(head('HTTP/1.1 307 Elsewhere', `Location: ${other.url}`, 'Content-Length: 0'));
    const { status, headers } = await outbound.post(requestTo(receiver.url), sendOptions());
    expect([status, headers.location, other.sockets.length]).toEqual([307, other.url, 0]);
  });

  test('the body is not read when readsBody returns false for the status', async () => {
    const receiver = await receiverThatSends(head('HTTP/1.1 404 Not Found', 'Content-Length: 10'));
    const readsBody = jest.fn((status: number) => status === 200);
    expect(await outbound.post(requestTo(receiver.url, { readsBody }), sendOptions())).toMatchObject({ status: 404, body: '' });
    expect(readsBody.mock.calls).toEqual([[404]]);
  });

  test('eight interim responses are accepted, also on a reused connection', async () => {
    const long = head('HTTP/1.1 103 Early Hints', `Link: ${'x'.repeat(10 * KIBIBYTE)}`);
    const receiver = await receiverThatSends(long.repeat(4) + head('HTTP/1.1 100 Continue').repeat(4) + OK);
    for (let sent = 0; sent < 3; sent++)
      expect(await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions())).toMatchObject({ status: 200, body: 'ok' });
    expect(receiver.sockets).toHaveLength(1);
  });

  test('endless interim responses fail with not_http', async () => {
    const receiver = await ByteServer.start((socket, text) => {
      const sendOn = () => socket.writable && socket.write(head('HTTP/1.1 102 Processing'), () => setImmediate(sendOn));
      if (isWhole(text)) sendOn();
    });
    receivers.push(receiver);
    expect(await failureOf(outbound.post(requestTo(receiver.url), sendOptions()))).toEqual(['not_http', true]);
    await receiver.until(() => receiver.sockets[0].destroyed);
  });

  test.each([['Content-Length: 1048576'], ['Connection: close']])(
    '64 KiB of a body are read before the connection is closed: %s',
    async (line) => {
      const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', line) + 'x'.repeat(1_024 * KIBIBYTE));
      const { body } = await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions());
      expect(body).toBe('x'.repeat(64 * KIBIBYTE));
      await receiver.until(() => receiver.sockets[0].destroyed);
    },
  );

  test('a compressed body is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * KIBIBYTE * KIBIBYTE));
    const headers = head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`);
    const receiver = await receiverThatSends(Buffer.concat([Buffer.from(headers), bomb]));
    const { body } = await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions());
    expect(body).toBe(bomb.subarray(0, 64 * KIBIBYTE).toString());
  });

  test.each([
    ['another protocol', '220 mail.example.com ESMTP\r\n'],
    ['a header above 16 KiB', head('HTTP/1.1 200 OK', `X: ${'x'.repeat(17 * KIBIBYTE)}`)],
    ['many headers', head('HTTP/1.1 200 OK', ...Array.from({ length: 5_000 }, (_, index) => `X-${index}: x`))],
    ['an endless status line', `HTTP/1.1 200 ${'x'.repeat(17 * KIBIBYTE)}`],
    ['an upgrade', head('HTTP/1.1 101 Switching Protocols', 'Connection: upgrade', 'Upgrade: websocket')],
    ['a 101', head('HTTP/1.1 101 Switching Protocols')],
    ['a status below 100', head('HTTP/1.1 099 Odd', 'Content-Length: 0')],
    ['a response after nine interim ones', head('HTTP/1.1 102 Processing').repeat(9) + OK],
    ['64 KiB of interim responses', head('HTTP/1.1 103 Early Hints', `Link: ${'x'.repeat(15 * KIBIBYTE)}`).repeat(7)],
    ['64 KiB of empty lines', '\r\n'.repeat(40 * KIBIBYTE)],
    ['64 KiB of spaces before a header’s value', `HTTP/1.1 200 OK\r\nX:${' '.repeat(80 * KIBIBYTE)}`],
    ['two lengths', head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Content-Length: 2')],
  ])('%s fails with not_http', async (_, bytes) => {
    const receiver = await receiverThatSends(bytes);
    expect(await failureOf(outbound.post(requestTo(receiver.url), sendOptions()))).toEqual(['not_http', true]);
    await receiver.until(() => receiver.sockets[0].destroyed);
  });

  test('malformed chunks fail with not_http only if the body is read', async () => {
    const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked') + 'x\r\n');
    expect(await outbound.post(requestTo(receiver.url), sendOptions())).toMatchObject({ status: 200 });
    expect(await failureOf(outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions()))).toEqual(['not_http', true]);
  });
});

describe('a connection to a receiver', () => {
  const count = async (receiver: ByteServer, ...changes: Parameters<typeof requestTo>[1][]) => {
    for (const change of changes) await outbound.post(requestTo(receiver.url, change), sendOptions());
    return receiver.sockets.length;
  };

  test('a connection is reused', async () => {
    const receiver = await receiverThatSends(OK);
    expect(await count(receiver, WANTS_BODY, WANTS_BODY, WANTS_BODY)).toBe(1);
  });

  test('a connection is reused after an unread body was drained', async () => {
    const receiver = await receiverThatSends(OK);
    const isReused = () => receiver.received.some((text) => text.split('POST').length > 2);
    for (let tries = 0; tries < 100 && !isReused(); tries++) await count(receiver, {});
    expect(isReused()).toBe(true);
  });

  test('needsNewConnection opens a connection and closes it afterwards', async () => {
    const receiver = await receiverThatSends(OK);
    const isNew = { ...WANTS_BODY, needsNewConnection: true };
    expect(await count(receiver, WANTS_BODY, isNew, isNew, WANTS_BODY)).toBe(3);
    expect(receiver.received[1]).toContain('\r\nConnection: close\r\n');
  });

  test('a connection with a long unread body is closed and not reused', async () => {
    const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', 'Content-Length: 9999999') + 'x'.repeat(65 * KIBIBYTE));
    await count(receiver, {});
    await receiver.until(() => receiver.sockets[0].destroyed);
    expect(await count(receiver, {})).toBe(2);
  });

  test('a connection is closed after a second when its unread body does not end', async () => {
    holdTimeouts();
    const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked') + '1\r\nx\r\n');
    await count(receiver, {});
    jest.advanceTimersByTime(999);
    await yieldToEventLoop();
    expect(receiver.sockets[0].destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    await receiver.until(() => receiver.sockets[0].destroyed);
  });

  test('a connection with an unread body is closed at once when 64 others have one', async () => {
    holdTimeouts();
    const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', 'Content-Length: 2') + 'x');
    await count(receiver, ...Array<object>(65).fill({}));
    await receiver.until(() => receiver.sockets.some(({ destroyed }) => destroyed));
    expect(receiver.sockets.filter(({ destroyed }) => destroyed)).toHaveLength(1);
  });

  test.each([
    ['a chunk’s size without an end', '0'.repeat(300 * KIBIBYTE)],
    ['extensions of chunks', `1;${'x'.repeat(15 * KIBIBYTE)}\r\nx\r\n`.repeat(20)],
  ])('a connection is closed after too many bytes around a body: %s', async (_, bytes) => {
    const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked') + bytes);
    await count(receiver, {});
    await receiver.until(() => receiver.sockets[0].destroyed);
  });

  test.each(['x', '\r\n'])('an idle connection is closed when the receiver sends %j', async (bytes) => {
    const receiver = await receiverThatSends(OK);
    await count(receiver, WANTS_BODY);
    // Each byte restarts the idle timeout.
    for (; !receiver.sockets[0].destroyed; await yieldToEventLoop()) receiver.sockets[0].write(bytes);
    expect(await count(receiver, WANTS_BODY)).toBe(2);
  });

  test('an idle connection is closed on shutdown', async () => {
    const receiver = await receiverThatSends(OK);
    await count(receiver, WANTS_BODY);
    outbound.onApplicationShutdown();
    await receiver.until(() => receiver.sockets[0].destroyed);
  });
});

describe('the failure of a request', () => {
  test('a refused connection fails with unreachable and is unwritten', async () => {
    const receiver = await receiverThatSends('');
    await receiver.close();
    expect(await failureOf(outbound.post(requestTo(receiver.url), sendOptions()))).toEqual(['unreachable', false]);
  });

  test.each<['end' | 'reset', string]>([
    ['end', ''],
    ['reset', ''],
    ['end', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ])('a connection that is closed (%s) after %j fails with no_answer', async (then, bytes) => {
    const receiver = await receiverThatSends(bytes, then);
    expect(await failureOf(outbound.post(requestTo(receiver.url), sendOptions()))).toEqual(['no_answer', true]);
  });

  test('a truncated body fails with no_answer', async () => {
    const receiver = await receiverThatSends(head('HTTP/1.1 200 OK', 'Content-Length: 3') + 'ok', 'end');
    expect(await failureOf(outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions()))).toEqual(['no_answer', true]);
  });

  test.each([
    ['nothing', ''],
    ['only part of its headers', 'HTTP/1.1 200 OK\r\n'],
    ['only interim responses', head('HTTP/1.1 102 Processing')],
    ['only part of a body', head('HTTP/1.1 200 OK', 'Content-Length: 3') + 'ok'],
  ])('a receiver that sends %s fails with timeout', async (_, bytes) => {
    holdTimeouts();
    const receiver = await receiverThatSends(bytes);
    const failure = failureOf(outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions()));
    await receiver.until(() => isWhole(receiver.received[0] ?? ''));
    jest.advanceTimersByTime(DEADLINE_MS);
    expect(await failure).toEqual(['timeout', true]);
    await receiver.until(() => receiver.sockets[0].destroyed);
  });

  test('an error contains nothing of the request', async () => {
    const receiver = await receiverThatSends('', 'reset');
    const request = requestTo(receiver.url, { headers: { Authorization: 'canary' }, body: 'canary\r\n\r\n{}' });
    const error: unknown = await outbound.post(request, sendOptions()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/canary|127\.0\.0\.1|hook/);
  });

  test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'x', '//127.0.0.1', 'http://', 'http://[fe80::1%25lo]/'])(
    'the URL %s fails with blocked_address',
    async (url) => expect(await failureOf(outbound.post(requestTo(url), sendOptions()))).toEqual(['blocked_address', false]),
  );
});

describe('mayWrite and abortSignal', () => {
  test('mayWrite is called once per request, also on a reused connection', async () => {
    const receiver = await receiverThatSends(OK);
    const mayWrite = jest.fn(() => true);
    await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions({ mayWrite }));
    await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions({ mayWrite })); // on the kept connection
    expect([mayWrite.mock.calls.length, receiver.sockets.length]).toEqual([2, 1]);
  });

  test.each([true, false])('nothing is written when mayWrite returns false, with needsNewConnection: %s', async (needsNewConnection) => {
    const receiver = await receiverThatSends(OK);
    await outbound.post(requestTo(receiver.url, WANTS_BODY), sendOptions());
    const refused = outbound.post(requestTo(receiver.url, { needsNewConnection }), sendOptions({ mayWrite: () => false }));
    expect(await failureOf(refused)).toEqual(['aborted', false]);
    await receiver.until(() => receiver.sockets.length === (needsNewConnection ? 2 : 1) && receiver.sockets.at(-1)!.destroyed);
    expect(receiver.received.join('').match(/POST/g)).toHaveLength(1);
  });

  test('an aborted abortSignal prevents the request', async () => {
    const receiver = await receiverThatSends(OK);
    const mayWrite = jest.fn(() => true);
    const sent = outbound.post(requestTo(receiver.url), sendOptions({ mayWrite, abortSignal: AbortSignal.abort() }));
    expect(await failureOf(sent)).toEqual(['aborted', false]);
    expect([mayWrite.mock.calls.length, receiver.sockets.length]).toEqual([0, 0]);
  });

  test('abortSignal stops a request that is still connecting', async () => {
    const receiver = await receiverThatSends(OK);
    const controller = new AbortController();
    const failure = failureOf(outbound.post(requestTo(receiver.url), sendOptions({ abortSignal: controller.signal })));
    controller.abort();
    expect(await failure).toEqual(['aborted', false]);
    expect(receiver.received.join('')).toBe('');
  });

  test('abortSignal does not stop a request that was written', async () => {
    const controller = new AbortController();
    const receiver = await ByteServer.start((socket, text) => {
      if (text) controller.abort();
      if (isWhole(text)) setImmediate(() => socket.write(OK));
    });
    receivers.push(receiver);
    const { status } = await outbound.post(requestTo(receiver.url), sendOptions({ abortSignal: controller.signal }));
    expect(status).toBe(200);
  });

  test('one abortSignal stops many requests without a warning about listeners', async () => {
    const warnings: Error[] = [];
    const watch = (warning: Error) => void warnings.push(warning);
    process.on('warning', watch);
    const receiver = await receiverThatSends('');
    const controller = new AbortController();
    setMaxListeners(0, controller.signal); // as DeliveryWorker does
    const failures = Array.from({ length: 20 }, () =>
      failureOf(outbound.post(requestTo(receiver.url), sendOptions({ abortSignal: controller.signal }))),
    );
    controller.abort();
    expect(new Set((await Promise.all(failures)).flat())).toEqual(new Set(['aborted', false]));
    await new Promise(setImmediate);
    process.off('warning', watch);
    expect(warnings).toEqual([]);
  });
});
