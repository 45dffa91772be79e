import { isAllowed, isLoopback, parseNetworks } from '../../../src/platform/common/hosts';
import { ADDRESSES, URLS } from '../../support/http/forbidden-addresses.cjs';
import { NameServer } from '../../support/servers/name-server';
import { closeOutbound, failureOf, openOutbound, requestTo, sendOptions } from '../../support/areas/outbound';
import { ByteServer } from '../../support/servers/byte-server';

/** First and last address of each blocked network. */
const REFUSED = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.0',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.255',
  '192.0.2.0',
  '192.0.2.255',
  '192.88.99.0',
  '192.88.99.255',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.0',
  '198.51.100.255',
  '203.0.113.0',
  '203.0.113.255',
  '224.0.0.0',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::7f00:1',
  '::8.8.8.8',
  '::808:808',
  '1fff:ffff::',
  '4000::',
  'fc00::',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '64:ff9b:1::808:808',
  '100::1',
  '2001::',
  '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db8::',
  '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  '2002::',
  '2002:808:808::',
  '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '3fff::',
  '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2620:4f:8000::',
  '2620:4f:8000:ffff::',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '::ffff:0:8.8.8.8',
  '2606:4700::1%eth0',
  '',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '8.8.8.8/8',
  '[::1]',
];

/** The addresses next to these networks. */
const PUBLIC = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.1.255',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '168.63.129.15',
  '168.63.129.17',
  '2000::',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2003::',
  '2620:4f:7fff:ffff::',
  '2620:4f:8001::',
  '3ffe:ffff::',
  '3fff:1000::',
  '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2606:4700:4700::1111',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '64:ff9b::808:808',
];

test.each(REFUSED)('the address %s is blocked', (address) => expect(isAllowed(address, [])).toBe(false));

test.each(PUBLIC)('the address %s is allowed', (address) => expect(isAllowed(address, [])).toBe(true));

test('allowed networks also apply to the IPv4 addresses inside IPv6 ones', () => {
  const networks = parseNetworks(['10.1.0.0/16', 'fd00::/8', '127.0.0.1/32']);
  const within = ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd00::1', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '64:ff9b::7f00:1', '8.8.8.8'];
  const outside = ['10.0.255.255', '10.2.0.0', '127.0.0.2', 'fc00::1', '::1', '::ffff:127.0.0.2', 'fe80::1', '::10.1.2.3'];
  expect(within.filter((address) => !isAllowed(address, networks))).toEqual([]);
  expect(outside.filter((address) => isAllowed(address, networks))).toEqual([]);
  expect(isAllowed('::ffff:10.0.0.1', parseNetworks(['::/0']))).toBe(false);
});

test('isLoopback recognizes 127.0.0.0/8, ::1 and mapped addresses', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
  expect(['128.0.0.1', '::2', '10.0.0.1', 'localhost', ''].some(isLoopback)).toBe(false);
});

describe('a receiver on loopback', () => {
  let receiver: ByteServer;
  let nameServer: NameServer;
  let resolved: string[];

  beforeAll(async () => {
    receiver = await ByteServer.start((socket) => socket.end());
    nameServer = await NameServer.start(() => resolved);
  });

  afterAll(async () => {
    closeOutbound();
    await nameServer.close();
    await receiver.close();
  });

  const post = (url: string) => {
    const outbound = openOutbound({ OUTBOUND_ALLOW: '', DNS_SERVERS: nameServer.address });
    return failureOf(outbound.post(requestTo(url.replaceAll('#', String(receiver.port))), sendOptions()));
  };

  test.each(URLS)('the URL %j is blocked without a DNS query', async (url) => {
    const { length } = nameServer.questions;
    expect(await post(url)).toEqual(['blocked_address', false]);
    expect([nameServer.questions.length, receiver.sockets.length]).toEqual([length, 0]);
  });

  test.each(ADDRESSES)('a name that resolves to %s is blocked, with and without a trailing dot', async (address) => {
    resolved = [address];
    for (const name of ['inside.test', 'inside.test.']) expect(await post(`http://${name}:#`)).toEqual(['blocked_address', false]);
    expect(receiver.sockets.length).toBe(0);
  });
});
