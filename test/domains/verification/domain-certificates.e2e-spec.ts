/** @mysql whole */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { Clock } from '../../../src/platform/common/clock';
import { CheckWorker } from '../../../src/domains/verification/check-worker';
import { Network } from '../../../src/platform/common/network';
import { type TestAccount, useApplication } from '../../support/http/application';
import { makeAuthority, makeCertificate, sign, trustAuthority } from '../../support/servers/certificates';
import { holdClock, until } from '../../support/jest/clock';
import { createWebhook, pageOf } from '../../support/areas/deliveries';
import { createDomain, DOMAINS, HANDLERS, MESSAGES } from '../../support/areas/records';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';
import { check, codesOf, readVerification, setTxt, type VerificationBody } from '../../support/areas/verification';
import { zone } from '../../support/areas/zone';
import { longTestOnce } from '../../support/jest/size';

const EDGE = 'edge.frontdesk.test';
const ADDRESS = '93.184.215.14';
const [HOUR, DAY] = [3_600_000, 86_400_000];
const { application } = useApplication(() => ({ DNS_SERVERS: zone.server.address, EDGE_TARGET: EDGE, OUTBOUND_ALLOW: '10.1.0.0/16' }));
const { path } = useTemporaryFolder();
const servers: Server[] = [];
let account: TestAccount;
let host: string;
let id: number;
/** Addresses and ports that were connected to. */
let connected: string[];
/** Modifies a connection to an address. */
let alter: (socket: TLSSocket, address: string) => void;
/** Local ports that stand in for addresses. */
let ports: Map<string, number>;

beforeAll(() => makeAuthority(path(''), 'authority'));
beforeEach(async () => {
  ({ account, host, id } = await createDomain(application()));
  zone.set(host, 'CNAME', [EDGE]).set(EDGE, 'A', [ADDRESS]);
  await setTxt(account, id);
  await check(account, id);
  [connected, ports, alter] = [[], new Map(), () => undefined];
  jest.spyOn(application().app.get(Network), 'connectTls').mockImplementation((options) => {
    connected.push(`${options.host} ${options.port}`);
    const socket = connect({ ...options, host: '127.0.0.1', port: ports.get(String(options.host)) ?? 1 });
    alter(socket, String(options.host));
    return socket;
  });
});
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listen(server: Server, address: string): Promise<void> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports.set(address, (server.address() as AddressInfo).port);
}

/** A TLS server with a certificate for a host, signed by the authority. Returns what clients send to it. */
async function serve(name: string, { address = ADDRESS, authority = 'authority', days = 60 } = {}): Promise<string[]> {
  makeCertificate(path(''), name, authority, name, undefined, days);
  return present(name, [name], address);
}

/** A TLS server with a key, and the certificates of a chain. Returns what clients send to it. */
async function present(name: string, chain: string[], address = ADDRESS): Promise<string[]> {
  const [cert, key] = [chain.map((link) => readFileSync(path(`${link}.pem`), 'utf8')).join(''), readFileSync(path(`${name}.key`))];
  const sent: string[] = [];
  const server = createServer({ cert, key }, (socket: TLSSocket) => {
    socket.on('data', (bytes: Buffer) => sent.push(bytes.toString())).on('error', () => undefined);
  });
  await listen(server, address);
  return sent;
}

const trust = () => trustAuthority(readFileSync(path('authority.pem'), 'utf8'));
const detailOf = ({ problems }: VerificationBody) => problems[0].detail;

test('a trusted certificate for the host is shown, and nothing is sent to the server', async () => {
  trust();
  const sent = await serve(host);
  const { status, problems, certificate } = await check(account, id);
  expect([status, problems]).toEqual(['verified', []]);
  expect(certificate).toEqual({ issuer: 'authority', expires: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string });
  const days = (Date.parse(`${certificate!.expires}Z`) - Date.now()) / DAY;
  expect(days).toBeGreaterThan(59);
  expect(days).toBeLessThan(61);
  expect(await readVerification(account, id)).toMatchObject({ certificate });
  expect([connected, sent]).toEqual([[`${ADDRESS} 443`], []]);
});

test('a disabled domain’s certificate is not checked', async () => {
  expect(codesOf(await check(account, id))).toEqual(['certificate_missing']);
  connected.length = 0;
  await application().dataSource.query('UPDATE domains SET is_enabled = 0 WHERE id = ?', [id]);
  const { status, problems, certificate } = await check(account, id);
  expect([status, problems, certificate, connected]).toEqual(['verified', [], null, []]);
});

test.each([
  ['nothing listens', () => Promise.resolve(), /no TLS at port 443 of 93\.184\.215\.14 \(ECONNREFUSED\)/],
  [
    'the server closes the connection',
    () =>
      listen(
        createTcpServer((socket) => socket.destroy()),
        ADDRESS,
      ),
    /\((ECONNRESET|the connection was closed)\)/,
  ],
  [
    'the server sends plaintext',
    () =>
      listen(
        createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
        ADDRESS,
      ),
    /\(the handshake failed\)/,
  ],
  ['the server sends an alert', () => listen(createServer({}), ADDRESS), /\(the handshake failed\)/],
])('a certificate is certificate_missing if %s', async (_, start, detail) => {
  await start();
  const verification = await check(account, id);
  expect([verification.status, ...codesOf(verification)]).toEqual(['verified', 'certificate_missing']);
  expect(detailOf(verification)).toMatch(detail);
  expect(verification.certificate).toBeNull();
});

longTestOnce('a handshake that times out is certificate_missing and closes the connection', async () => {
  const sockets: Socket[] = [];
  await listen(
    createTcpServer((socket) => void sockets.push(socket.resume().on('error', () => undefined))),
    ADDRESS,
  );
  const verification = await check(account, id);
  expect(codesOf(verification)).toEqual(['certificate_missing']);
  expect(detailOf(verification)).toMatch(/\(no answer\)/);
  await until(() => sockets[0].destroyed);
});

test('a certificate for another host is certificate_differs', async () => {
  trust();
  await serve('other.example');
  const other = await check(account, id);
  expect([other.status, ...codesOf(other)]).toEqual(['verified', 'certificate_differs']);
  expect(detailOf(other)).toContain(`is not for ${host}`);
  expect(other.certificate).toMatchObject({ issuer: 'authority' });
});

describe('certificate chain', () => {
  const CA = ['basicConstraints=critical,CA:TRUE'];
  const LEAF = ['basicConstraints=critical,CA:FALSE'];
  const named = () => ({ subject: host, extensions: [...LEAF, `subjectAltName=DNS:${host}`] });
  const WARNING = 'visitors get a warning';
  const TODAY = 'Serve the full chain that its authority issues now.';
  const PUBLIC = 'Let the proxy in front of the edge get one from a public authority.';

  /** A trusted leaf that an intermediate signed. */
  function signByIntermediate(dates: { from?: number; until?: number } = {}): void {
    trust();
    sign(path(''), 'intermediate', 'authority', { subject: 'R10', extensions: CA, ...dates });
    sign(path(''), 'leaf', 'intermediate', named());
  }

  /** A trusted leaf with the host as common name. */
  function signCommonName(...alternatives: string[]): void {
    trust();
    sign(path(''), 'leaf', 'authority', { subject: host, extensions: [...LEAF, ...alternatives] });
  }

  test.each([[['leaf', 'intermediate']], [['leaf', 'intermediate', 'authority']]])('the chain %j is valid', async (chain) => {
    signByIntermediate();
    await present('leaf', chain);
    expect(await check(account, id)).toMatchObject({ problems: [], certificate: { issuer: 'R10' } });
  });

  test.each<[string, string[], () => void, string]>([
    [
      'a missing intermediate',
      ['leaf'],
      () => signByIntermediate(),
      `The certificate of R10 comes without a chain to an authority that browsers know: ${WARNING}. Serve the full chain, with the intermediate certificates (fullchain.pem).`,
    ],
    [
      'an expired intermediate',
      ['leaf', 'intermediate'],
      () => signByIntermediate({ from: -90, until: -1 }),
      `The certificate of R10 has an expired intermediate certificate in its chain: ${WARNING}. ${TODAY}`,
    ],
    [
      'an intermediate that is not valid yet',
      ['leaf', 'intermediate'],
      () => signByIntermediate({ from: 1 }),
      `The certificate of R10 has an intermediate certificate in its chain that is not valid yet: ${WARNING}. ${TODAY}`,
    ],
    [
      'a self-signed certificate',
      ['itself'],
      () => void sign(path(''), 'itself', 'itself', named()),
      `The certificate is self-signed: ${WARNING}. ${PUBLIC}`,
    ],
    [
      'a private root',
      ['leaf', 'authority'],
      () => void sign(path(''), 'leaf', 'authority', named()),
      `The certificate of authority is not trusted by browsers: ${WARNING}. ${PUBLIC}`,
    ],
    ...[[], ['subjectAltName=email:hostmaster@example.com']].map((alternatives): [string, string[], () => void, string] => [
      `a common name with the alternative names ${JSON.stringify(alternatives)}`,
      ['leaf'],
      () => signCommonName(...alternatives),
      `The certificate has <host> only as common name, which browsers ignore: ${WARNING}. Let the proxy in front of the edge get one with the host as subject alternative name.`,
    ]),
  ])('%s is certificate_differs', async (_, chain, signChain, detail) => {
    signChain();
    await present(chain[0], chain);
    const verification = await check(account, id);
    expect(codesOf(verification)).toEqual(['certificate_differs']);
    expect(detailOf(verification)).toBe(detail.replace('<host>', host));
  });

  test('a certificate that is not valid yet is certificate_expiring', async () => {
    trust();
    sign(path(''), 'leaf', 'authority', { ...named(), from: 1 });
    await present('leaf', ['leaf']);
    const verification = await check(account, id);
    expect(codesOf(verification)).toEqual(['certificate_expiring']);
    expect(detailOf(verification)).toMatch(
      /^The certificate is not valid before \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: until then, visitors get a warning\. Let the proxy in front of the edge get one that is valid, and check the clocks\.$/,
    );
  });
});

test.each([
  ['14 days', 60, 46.5, 45.5],
  ['a quarter of its lifetime', 8, 6.1, 5.9],
])('a certificate is certificate_expiring with less than %s left, and once expired', async (_, days, late, early) => {
  trust();
  await serve(host, { days });
  const clock = holdClock(application());
  clock.move(early * DAY);
  expect(codesOf(await check(account, id))).toEqual([]);
  clock.move((late - early) * DAY);
  const expiring = await check(account, id);
  expect([expiring.status, ...codesOf(expiring)]).toEqual(['verified', 'certificate_expiring']);
  expect(detailOf(expiring)).toBe(`The certificate expires at ${expiring.certificate!.expires} UTC: its renewal is overdue.`);
  clock.move(days * DAY);
  expect(detailOf(await check(account, id))).toMatch(/^The certificate expired at /);
});

test('a malformed certificate is certificate_differs and does not fail the check', async () => {
  await serve(host);
  const broken = { valid_from: 'Jan  1 00:00:00 2026 GMT', valid_to: 'Bad time value', subjectaltname: `DNS:${host}`, subject: {} };
  for (const presented of [broken, { ...broken, valid_from: 'Bad time value' }, {}, null]) {
    alter = (socket) => void (socket.getPeerCertificate = () => presented as never);
    const verification = await check(account, id);
    expect([verification.status, ...codesOf(verification)]).toEqual(['verified', 'certificate_differs']);
    expect([detailOf(verification), verification.certificate]).toEqual([expect.stringContaining("can't be read"), null]);
  }
});

test('an unreachable network is ignored and keeps the last result', async () => {
  trust();
  await serve(host);
  zone.set(EDGE, 'AAAA', ['2606:4700::1']);
  alter = (socket, address) => {
    if (address.includes(':')) process.nextTick(() => socket.destroy(Object.assign(new Error('away'), { code: 'ENETUNREACH' })));
  };
  expect(await check(account, id)).toMatchObject({ problems: [], certificate: { issuer: 'authority' } });
  zone.set(EDGE, 'A', []);
  expect(await check(account, id)).toMatchObject({ problems: [], certificate: { issuer: 'authority' } });
  expect(connected).toHaveLength(3);
});

test('up to four addresses are checked, and the first problem is reported', async () => {
  trust();
  const addresses = [1, 2, 3, 4, 5].map((last) => `93.184.215.${last}`);
  zone.set(EDGE, 'A', addresses);
  for (const address of addresses) if (address !== '93.184.215.3') await serve(host, { address });
  const verification = await check(account, id);
  expect(codesOf(verification)).toEqual(['certificate_missing']);
  expect(detailOf(verification)).toContain('93.184.215.3');
  expect(connected).toHaveLength(4);
});

describe('skipped certificate check', () => {
  test('the check that verifies a domain skips the certificate, which is checked an hour later', async () => {
    const clock = holdClock(application());
    const other = await createDomain(application());
    zone.set(other.host, 'CNAME', [EDGE]);
    await setTxt(other.account, other.id);
    const { status, problems, certificate, checked, next_check } = await check(other.account, other.id);
    expect([status, problems, certificate, connected]).toEqual(['verified', [], null, []]);
    expect(Date.parse(next_check!) - Date.parse(checked!)).toBe(HOUR);
    clock.move(HOUR);
    expect(codesOf(await check(other.account, other.id))).toEqual(['certificate_missing']);
  });

  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1', '192.168.1.1', '0.0.0.0'])(
    'never connects to %s',
    async (address) => {
      for (const addresses of [[address], [ADDRESS, address]]) {
        zone.set(EDGE, 'A', addresses);
        expect(await check(account, id)).toMatchObject({ status: 'verified', problems: [], certificate: null });
      }
      expect(connected).toEqual([]);
    },
  );

  test('never connects to private and loopback IPv6 addresses', async () => {
    for (const address of ['::1', 'fd00::1', 'fe80::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      zone.set(EDGE, 'A', []).set(EDGE, 'AAAA', [address]);
      await check(account, id);
    }
    expect(connected).toEqual([]);
  });

  test('never connects for domains that are unverified or point elsewhere', async () => {
    zone.set(host, 'CNAME', ['elsewhere.test']).set('elsewhere.test', 'A', [ADDRESS]).set(EDGE, 'A', ['93.184.215.99']);
    expect(codesOf(await check(account, id))).toEqual(['target_differs']);
    const other = await createDomain(application());
    zone.set(other.host, 'CNAME', [EDGE]);
    expect(codesOf(await check(other.account, other.id))).toEqual(['txt_missing']);
    expect(connected).toEqual([]);
  });
});

test('an allowed private network is checked, and its address is hidden', async () => {
  zone.set(EDGE, 'A', ['10.1.2.3']);
  const verification = await check(account, id);
  expect(connected).toEqual(['10.1.2.3 443']);
  expect(detailOf(verification)).toMatch(/^There is no TLS at port 443 \(ECONNREFUSED\)/);
});

test('a problem is rechecked hourly, and each change sends an event to handlers', async () => {
  trust();
  const handler = await createWebhook(account, 'https://hooks.example.com/');
  await account.client.post(`${HANDLERS}/${handler}/events`, { types: 'domain.certificate' }).expect(200);
  const clock = holdClock(application());
  const now = () => application().app.get(Clock).now();
  const nextIn = async () => Date.parse(`${(await readVerification(account, id)).next_check}Z`) - now();
  await check(account, id);
  expect(Math.ceil((await nextIn()) / 60_000)).toBe(60);
  const read = async () => (await pageOf<{ title: string; text: string }>(account, MESSAGES)).data;
  await until(read, ({ length }) => length === 1);
  await serve(host);
  await application().dataSource.query('DELETE FROM domains WHERE id <> ?', [id]); // which would be due, too
  const { loop } = application().app.get(CheckWorker);
  loop.start();
  clock.move(HOUR);
  await until(
    () => readVerification(account, id),
    ({ problems }) => problems.length === 0,
  );
  await loop.stop();
  expect(Math.ceil((await nextIn()) / HOUR)).toBe(24);
  zone.set(host, 'CNAME', 'SERVFAIL');
  await check(account, id);
  expect(await readVerification(account, id)).toMatchObject({ certificate: { issuer: 'authority' } });
  const events = (await pageOf<{ data: object; actor: { type: string } }>(account, '/api/events?types=domain.certificate')).data;
  expect(events.map(({ data, actor }) => [data, actor.type])).toEqual([
    [{ problem: 'certificate_missing' }, 'key'],
    [{ problem: null }, 'service'],
  ]);
  const messages = await until(read, ({ length }) => length === 2);
  expect(messages.map(({ title, text }) => [title, text])).toEqual([
    ['Certificate problem', expect.stringContaining(`${host}: There is no TLS`)],
    ['Certificate OK', `${host} no longer has a certificate problem.`],
  ]);
});

test('the last result is kept while DNS is unreachable, and dropped with the host', async () => {
  await check(account, id);
  zone.set(host, 'CNAME', 'SERVFAIL').set(host, 'A', 'SERVFAIL').set(host, 'AAAA', 'SERVFAIL');
  expect(codesOf(await check(account, id))).toEqual(['dns_unreachable', 'certificate_missing']);
  zone.set(host, 'CNAME', [EDGE]).set(EDGE, 'A', 'SERVFAIL').set(EDGE, 'AAAA', 'SERVFAIL');
  expect(codesOf(await check(account, id))).toEqual(['certificate_missing']); // the host still points here
  expect((await pageOf(account, '/api/events?types=domain.certificate')).data).toHaveLength(1);
  await account.client.post(`${DOMAINS}/${id}`, { host: `www.${host}` }).expect(200);
  expect(await readVerification(account, id)).toMatchObject({ status: 'pending', problems: [], certificate: null });
});
