import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { Outbound } from '../../../src/platform/outbound/outbound';
import { makeAuthority, makeCertificate, RSA_KEY, trustAuthority } from '../../support/servers/certificates';
import { holdTimeouts } from '../../support/jest/clock';
import { NameServer } from '../../support/servers/name-server';
import { closeOutbound, DEADLINE_MS, failureOf, openOutbound, requestTo, sendOptions } from '../../support/areas/outbound';
import { ByteServer } from '../../support/servers/byte-server';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const WANTS_BODY = { readsBody: () => true };

let folder: string;
let nameServer: NameServer;
let outbound: Outbound;
const receivers: ByteServer[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-outbound-'));
  makeAuthority(folder, 'trusted');
  makeAuthority(folder, 'unknown');
  makeCertificate(folder, 'right', 'trusted', 'hooks.test');
  makeCertificate(folder, 'rsa', 'trusted', 'hooks.test', RSA_KEY);
  makeCertificate(folder, 'address', 'trusted', '127.0.0.1');
  makeCertificate(folder, 'local', 'trusted', 'localhost');
  makeCertificate(folder, 'foreign', 'unknown', 'hooks.test');
  nameServer = await NameServer.start(() => ['127.0.0.1']);
});

beforeEach(() => {
  trustAuthority(readFileSync(join(folder, 'trusted.pem'), 'utf8'));
  outbound = openOutbound({ DNS_SERVERS: nameServer.address });
});

afterEach(async () => {
  jest.useRealTimers();
  closeOutbound();
  for (const receiver of receivers.splice(0)) await receiver.close();
});

afterAll(async () => {
  await nameServer.close();
  rmSync(folder, { recursive: true });
});

const certificate = (name: string): TlsOptions => ({
  cert: readFileSync(join(folder, `${name}.pem`)),
  key: readFileSync(join(folder, `${name}.key`)),
});

async function receiverThat(answer: Parameters<typeof ByteServer.start>[0], tls?: TlsOptions): Promise<ByteServer> {
  const receiver = await ByteServer.start(answer, tls);
  receivers.push(receiver);
  return receiver;
}

const receiverWith = (name: string) => receiverThat((socket, text) => text && socket.write(OK), certificate(name));

const post = ({ port }: ByteServer, host = 'hooks.test', ...changes: Parameters<typeof sendOptions>) =>
  outbound.post(requestTo(`https://${host}:${port}/`, WANTS_BODY), sendOptions(...changes));

test.each(['hooks.test', 'hooks.test.'])('the certificate of https://%s is verified against the name', async (host) => {
  const receiver = await receiverWith('right');
  expect(await post(receiver, host)).toMatchObject({ status: 200 });
  expect((receiver.sockets[0] as TLSSocket & { servername: string }).servername).toBe('hooks.test');
  expect(receiver.received[0]).toContain(`\r\nHost: ${host}:${receiver.port}\r\n`);
});

test('a certificate for an IP address is accepted for that address', async () => {
  expect(await post(await receiverWith('address'), '127.0.0.1')).toMatchObject({ status: 200 });
});

test('the certificate of a trusted URL is verified, too', async () => {
  const urlOf = ({ port }: ByteServer) => `https://localhost:${port}/`;
  const postTo = async (name: string) => outbound.post(requestTo(urlOf(await receiverWith(name)), { isTrusted: true }), sendOptions());
  expect(await postTo('local')).toMatchObject({ status: 200 });
  expect(await failureOf(postTo('right'))).toEqual(['tls_error', false]);
});

test.each([
  ['of an unknown authority', 'foreign', 'hooks.test'],
  ['for another name', 'right', 'other.test'],
  ['for a name instead of the address', 'right', '127.0.0.1'],
])('a certificate %s is a TLS error, and nothing is sent', async (_, name, host) => {
  const receiver = await receiverWith(name);
  const mayWrite = jest.fn(() => true);
  expect(await failureOf(post(receiver, host, { mayWrite }))).toEqual(['tls_error', false]);
  expect([receiver.received.join(''), mayWrite.mock.calls.length]).toEqual(['', 0]);
});

/** The receiver chooses the size of the group, and with it the CPU time of the handshake. */
test.each<[name: string, certificate: string, tls: TlsOptions]>([
  ['TLS 1.2', 'rsa', { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' }],
  ['TLS 1.3', 'right', { minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe2048' }],
])('finite-field Diffie-Hellman is refused with %s', async (_, name, tls) => {
  const receiver = await receiverThat((socket, text) => text && socket.write(OK), { ...certificate(name), ...tls });
  expect(await failureOf(post(receiver))).toEqual(['tls_error', false]);
});

test('NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect', async () => {
  jest.spyOn(process, 'emitWarning').mockReturnValue(); // Node's own
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const receiver = await receiverWith('foreign');
    expect(await failureOf(post(receiver))).toEqual(['tls_error', false]);
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test('an https URL of a server without TLS fails with tls_error', async () => {
  const receiver = await receiverThat((socket, text) => text && socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await failureOf(post(receiver))).toEqual(['tls_error', false]);
});

test('an http URL of a TLS server fails with not_http or no_answer', async () => {
  const receiver = await receiverWith('right');
  const plain = outbound.post(requestTo(`http://hooks.test:${receiver.port}/`), sendOptions());
  expect(['not_http', 'no_answer']).toContain((await failureOf(plain))[0]);
});

test.each(['end', 'resetAndDestroy'] as const)('a connection closed during the handshake (%s) fails with unreachable', async (method) => {
  const receiver = await receiverThat((socket, text) => text && socket[method]());
  expect(await failureOf(post(receiver))).toEqual(['unreachable', false]);
});

test('a hanging handshake ends at the deadline or when released, with nothing written', async () => {
  holdTimeouts();
  const receiver = await receiverThat(() => undefined);
  const controller = new AbortController();
  const failures = [failureOf(post(receiver)), failureOf(post(receiver, 'hooks.test', { abortSignal: controller.signal }))];
  await receiver.until(() => receiver.received.filter(Boolean).length === 2);
  controller.abort();
  jest.advanceTimersByTime(DEADLINE_MS);
  expect(await Promise.all(failures)).toEqual([
    ['timeout', false],
    ['aborted', false],
  ]);
  await receiver.until(() => receiver.sockets.every((socket) => socket.destroyed));
});

test('a connection is reused only for the name that its certificate was verified against', async () => {
  const receiver = await receiverWith('right');
  const mayWrite = jest.fn(() => true);
  await post(receiver, 'hooks.test', { mayWrite });
  await post(receiver, 'hooks.test', { mayWrite });
  expect([mayWrite.mock.calls.length, receiver.sockets.length]).toEqual([2, 1]);
  expect(await failureOf(post(receiver, 'other.test'))).toEqual(['tls_error', false]);
});
