import { hostname } from 'node:os';
import { Clock } from '../../../src/platform/common/clock';
import { Drain, exchange } from '../../../src/platform/outbound/http-exchange';
import { OutboundCall } from '../../../src/platform/outbound/outbound-request';
import { holdTimeouts } from '../../support/jest/clock';
import { type NameAnswer, NameServer } from '../../support/servers/name-server';
import { closeOutbound, DEADLINE_MS, failLookups, failureOf, openOutbound, requestTo, sendOptions } from '../../support/areas/outbound';
import { ByteServer } from '../../support/servers/byte-server';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

let receiver: ByteServer;
let nameServer: NameServer | undefined;

beforeEach(async () => {
  receiver = await ByteServer.start((socket, text) => text && socket.write(OK));
});

afterEach(async () => {
  jest.useRealTimers();
  closeOutbound();
  await receiver.close();
  await nameServer?.close();
  nameServer = undefined;
});

const post = (name: string, env: Record<string, string> = {}, changes: Parameters<typeof sendOptions>[0] = {}) => {
  const outbound = openOutbound({ DNS_SERVERS: nameServer!.address, ...env });
  return outbound.post(requestTo(`http://${name}:${receiver.port}/`), sendOptions(changes));
};

const answering = async (answer: (name: string, type: string) => NameAnswer) => {
  nameServer = await NameServer.start(answer);
  return nameServer;
};

test('a name is looked up once per address family, without a search domain', async () => {
  const { questions } = await answering(() => ['127.0.0.1']);
  expect(await post('hooks')).toMatchObject({ status: 200 });
  expect(questions.sort()).toEqual(['hooks A', 'hooks AAAA']);
  expect(receiver.received[0]).toContain(`\r\nHost: hooks:${receiver.port}\r\n`);
});

test('an absolute name is looked up as it is', async () => {
  const { questions } = await answering(() => ['127.0.0.1']);
  expect(await post('Hooks.Test.')).toMatchObject({ status: 200 });
  expect(questions.sort()).toEqual(['hooks.test A', 'hooks.test AAAA']);
});

test('the hosts file is not read', async () => {
  const { questions } = await answering(() => 'NXDOMAIN');
  expect(await failureOf(post(hostname()))).toEqual(['unresolved', false]);
  expect(await failureOf(post('ip6-loopback'))).toEqual(['unresolved', false]);
  expect(questions).toContain('ip6-loopback A');
});

test('a name that is rebound to a blocked address gets no request, even on a reused connection', async () => {
  const answers = [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
  await answering(() => answers.shift());
  const outbound = openOutbound({ DNS_SERVERS: nameServer!.address });
  const request = requestTo(`http://rebound.test:${receiver.port}/`, { readsBody: () => true });
  expect(await outbound.post(request, sendOptions())).toMatchObject({ status: 200 });
  expect(await failureOf(outbound.post(request, sendOptions()))).toEqual(['blocked_address', false]);
  expect([nameServer!.questions.length, receiver.received.length]).toEqual([4, 1]);
  expect(receiver.received[0].match(/POST/g)).toHaveLength(1);
});

test.each<[string, Record<string, NameAnswer>]>([
  ['of the same family', { A: ['127.0.0.1', '10.0.0.1'] }],
  ['of the other family', { A: ['127.0.0.1'], AAAA: ['::1'] }],
  ['mapped to IPv6', { A: ['127.0.0.1'], AAAA: ['::ffff:10.0.0.1'] }],
])('one blocked address %s blocks the name', async (_, answers) => {
  await answering((_name, type) => answers[type] ?? []);
  expect(await failureOf(post('mixed.test'))).toEqual(['blocked_address', false]);
  expect(receiver.sockets).toEqual([]);
});

test('OUTBOUND_ALLOW allows a blocked network', async () => {
  await answering(() => ['127.0.0.1']);
  expect(await failureOf(post('hooks.test', { OUTBOUND_ALLOW: '' }))).toEqual(['blocked_address', false]);
  expect(await failureOf(post('hooks.test', { OUTBOUND_ALLOW: '127.0.0.2/32,::1/128' }))).toEqual(['blocked_address', false]);
  expect(await post('hooks.test', { OUTBOUND_ALLOW: '10.0.0.0/8,127.0.0.0/8' })).toMatchObject({ status: 200 });
});

test.each<[string, Record<string, NameAnswer>]>([
  ['doesn’t exist', { A: 'NXDOMAIN', AAAA: 'NXDOMAIN' }],
  ['has no address', { A: [], AAAA: [] }],
  ['can’t be resolved', { A: 'SERVFAIL', AAAA: 'SERVFAIL' }],
])('a name that %s fails with unresolved', async (_, answers) => {
  await answering((_name, type) => answers[type]);
  expect(await failureOf(post('none.test'))).toEqual(['unresolved', false]);
});

test.each([`${'a'.repeat(64)}.test`, 'a..test'])('the invalid DNS name %s fails with unresolved', async (name) => {
  await answering(() => ['127.0.0.1']);
  expect(await failureOf(post(name))).toEqual(['unresolved', false]);
});

test.each(['ENOTFOUND', 'EAI_AGAIN'] as const)(
  'a trusted URL’s name fails with unresolved when the system resolver returns %s',
  async (code) => {
    failLookups(code);
    const sent = openOutbound().post(requestTo('https://api.test/', { isTrusted: true }), sendOptions());
    expect(await failureOf(sent)).toEqual(['unresolved', false]);
  },
);

test.each<NameAnswer>(['SERVFAIL', 'NXDOMAIN', undefined])('one address family is enough when the other gets %s', async (answer) => {
  await answering((_name, type) => (type === 'A' ? ['127.0.0.1'] : answer));
  expect(await post('half.test')).toMatchObject({ status: 200 });
});

test('the next address is tried when one refuses connections, and mayWrite is called once', async () => {
  await answering(() => ['127.0.0.2', '127.0.0.3', '127.0.0.1']);
  const mayWrite = jest.fn(() => true);
  expect(await post('many.test', { OUTBOUND_ALLOW: '127.0.0.0/8' }, { mayWrite })).toMatchObject({ status: 200 });
  expect(mayWrite).toHaveBeenCalledTimes(1);
});

test('no further address is tried after a connection', async () => {
  await answering(() => ['127.0.0.1', '127.0.0.2']);
  expect(await post('many.test', { OUTBOUND_ALLOW: '127.0.0.0/8' })).toMatchObject({ status: 200 });
});

test('at most four addresses are tried', async () => {
  await answering(() => ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.1']);
  expect(await failureOf(post('many.test', { OUTBOUND_ALLOW: '127.0.0.0/8' }))).toEqual(['unreachable', false]);
});

test('a connection attempt times out early enough to try the next address', async () => {
  holdTimeouts();
  const scope = new OutboundCall(sendOptions(), new Clock());
  const silent = { hostname: 'silent.test', lookup: () => undefined };
  const failure = failureOf(exchange(silent, requestTo(''), scope, { drain: new Drain(), connectMs: DEADLINE_MS / 2.5 }));
  await new Promise(setImmediate);
  jest.advanceTimersByTime(DEADLINE_MS / 2);
  expect(await failure).toEqual(['unreachable', false]);
  scope.close();
});

test('with a silent name server, the request ends at the deadline or when released', async () => {
  holdTimeouts();
  await answering(() => undefined);
  const late = failureOf(post('silent.test'));
  jest.advanceTimersByTime(DEADLINE_MS);
  expect(await late).toEqual(['timeout', false]);
  const controller = new AbortController();
  const given = failureOf(post('silent.test', {}, { abortSignal: controller.signal }));
  controller.abort();
  expect(await given).toEqual(['aborted', false]);
});

test('the next name server is queried when one is silent', async () => {
  const silent = await answering(() => undefined);
  const second = await NameServer.start(() => ['127.0.0.1']);
  try {
    expect(await post('hooks.test', { DNS_SERVERS: `${silent.address},${second.address}` })).toMatchObject({ status: 200 });
  } finally {
    await second.close();
  }
});
