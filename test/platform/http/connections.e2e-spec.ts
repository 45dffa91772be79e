/** @mysql whole */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Metrics } from '../../../src/platform/observability/metrics';
import { FORM_TYPES } from '../../../src/platform/http/input/request-body';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
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

const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${account.key}`, ...headers].join('\r\n')}\r\n\r\n`;
const isAlive = () => application().client().get('/health/live').expect(200);
/** An event wait, for what nobody here does: the responses to the requests behind it have to wait, too. */
const WAIT = '/api/events?after=latest&types=domain.deleted&wait=30';

test('an idle connection stays open longer than any proxy keeps it', async () => {
  const { headers } = await application().client().get('/health/live').set('Connection', 'keep-alive').expect(200);
  expect(headers['keep-alive']).toBe('timeout=620');
});

describe('a chunked body beyond the limit', () => {
  const LIMIT = 64 * 1024;
  const ROUTES = ['/acknowledge/x', '/callbacks/twilio', DOMAINS, `${DOMAINS}/1`, HANDLERS, MESSAGES, '/api/keys', `${HANDLERS}/1/test`];

  /** Sends pieces after the limit too, for as long as the connection is open. */
  async function sendChunks(path: string, type: string, piece: number): Promise<string> {
    const socket = connect(application().port, '127.0.0.1').on('error', () => undefined);
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

  test.each(ROUTES)('is answered once, and ends nothing: %s', async (path) => {
    for (const type of [...FORM_TYPES.slice(1), 'multipart/form-data; boundary=b']) {
      for (const piece of [1_024, LIMIT, LIMIT + 1]) {
        const received = await sendChunks(path, type, piece);
        expect(received.match(/HTTP\/1.1 (\d+)/g)?.length ?? 0).toBeLessThanOrEqual(1); // none if the reset overtakes it
        await isAlive();
      }
    }
  });

  test('is a 413 that closes the connection, although the client sends no more', async () => {
    const socket = connect(application().port, '127.0.0.1');
    socket.write(head('POST', DOMAINS, `Content-Type: ${FORM_TYPES[1]}`, 'Transfer-Encoding: chunked'));
    socket.write(`${(LIMIT + 1).toString(16)}\r\n${'a'.repeat(LIMIT + 1)}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*"A body may have at most 65536 bytes."/s);
  });
});

describe('when a client leaves, nothing is held for the requests that wait behind another on its connection', () => {
  /** Sends the requests behind an event wait, and breaks the connection off once the service has handled them. */
  async function breakOff(requests: string[], areHandled: () => Promise<unknown>): Promise<void> {
    const accepted = once(application().server, 'connection') as Promise<[Socket]>;
    const socket = connect(application().port, '127.0.0.1').on('error', () => undefined);
    const [atServer] = await accepted;
    socket.write([head('GET', WAIT), ...requests].join(''));
    await areHandled();
    const closed = new Promise((go) => atServer.once('close', go));
    socket.resetAndDestroy();
    await closed;
  }

  test('no place among the whole lists of scheduling', async () => {
    const list = `${SCHEDULING}?api=agendamentos`;
    await breakOff(
      Array.from({ length: 40 }, () => head('GET', list)),
      () =>
        until(
          () => account.client.get(list),
          ({ status }) => status === 503,
        ),
    );
    await account.client.get(list).expect(200);
  });

  const figures = () => application().app.get(Metrics).registry.metrics();

  test('no event wait', async () => {
    await breakOff(Array(7).fill(head('GET', WAIT)), () => until(async () => /^frontdesk_event_waits 8$/m.test(await figures())));
    const answers = await Promise.all(Array.from({ length: 8 }, () => account.client.get(WAIT.replace('30', '1'))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  const hasDomain = async () => (await account.client.get(DOMAINS)).text.includes('"total":1');

  const COUNTED = /^http_requests_total\{method="POST",route="\/api\/domains",status="499"\} (\d+)$/m;
  const brokenOff = async () => Number(COUNTED.exec(await figures())?.[1] ?? 0);

  test('and what they did is counted', async () => {
    const body = `host=${newHost()}`;
    const created = head('POST', DOMAINS, `Content-Type: ${FORM_TYPES[1]}`, `Content-Length: ${body.length}`) + body;
    const before = await brokenOff(); // another test may have broken off a form, too
    await breakOff([created], () => until(hasDomain));
    await until(brokenOff, (count) => count === before + 1);
  });

  longTestOnce('and what they did is logged', async () => {
    await withServer({ ...database().env, PATH: process.env.PATH }, async (server, port) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      const body = `host=${newHost()}`;
      socket.write(head('GET', WAIT) + head('POST', DOMAINS, `Content-Type: ${FORM_TYPES[1]}`, `Content-Length: ${body.length}`) + body);
      await until(hasDomain);
      socket.resetAndDestroy();
      await until(() => /"method":"POST","route":"\/api\/domains\/?","status":499/.test(server.said()));
    });
  });
});
