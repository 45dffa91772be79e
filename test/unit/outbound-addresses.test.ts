import { isAllowed, isLoopback, parseNetworks } from '../../src/outbound/addresses/address-rules';
import { NameServer } from '../support/name-server';
import { closeOutbound, failureOf, openOutbound, requestTo, sendOptions } from '../support/outbound';
import { ByteServer } from '../support/byte-server';

/** First and last address of each network that is refused. */
const REFUSED = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0', '127.255.255.255'],
  ...['169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255'],
  ...['192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.0'],
  ...['198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.0', '255.255.255.255', '168.63.129.16'],
  ...[
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
  ],
  ...[
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002::',
    '2002:808:808::',
  ],
  ...[
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8000::',
    '2620:4f:8000:ffff::',
  ],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '::ffff:0:8.8.8.8', '2606:4700::1%eth0'],
  ...['', 'localhost', '127.1', '2130706433', '0x7f.0.0.1', '8.8.8.8/8', '[::1]'],
];

/** The neighbours of these networks. */
const PUBLIC = [
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255'],
  ...['169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.1.255', '192.0.3.0', '192.88.98.255'],
  ...['192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '168.63.129.15', '168.63.129.17'],
  ...['2000::', '2001:200::', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ...['2620:4f:7fff:ffff::', '2620:4f:8001::', '3ffe:ffff::', '3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['2606:4700:4700::1111', '::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
];

test.each(REFUSED)('the address %s is refused', (address) => expect(isAllowed(address, [])).toBe(false));

test.each(PUBLIC)('the address %s is allowed', (address) => expect(isAllowed(address, [])).toBe(true));

test('networks let more addresses through, judged after unwrapping', () => {
  const networks = parseNetworks(['10.1.0.0/16', 'fd00::/8', '127.0.0.1/32']);
  const within = ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd00::1', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '64:ff9b::7f00:1', '8.8.8.8'];
  const outside = ['10.0.255.255', '10.2.0.0', '127.0.0.2', 'fc00::1', '::1', '::ffff:127.0.0.2', 'fe80::1', '::10.1.2.3'];
  expect(within.filter((address) => !isAllowed(address, networks))).toEqual([]);
  expect(outside.filter((address) => isAllowed(address, networks))).toEqual([]);
  expect(isAllowed('::ffff:10.0.0.1', parseNetworks(['::/0']))).toBe(false);
});

test('loopback', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
  expect(['128.0.0.1', '::2', '10.0.0.1', 'localhost', ''].some(isLoopback)).toBe(false);
});

/** What the URL parser makes an address of the loopback, of other private networks, or nothing. `#` is a port that somebody listens on. */
const URLS = [
  // IPv4: short, decimal, octal, hexadecimal
  ...['http://127.0.0.1:#', 'http://127.1:#', 'http://127.0.1:#', 'http://127.0.0.1.:#', 'http://2130706433:#', 'http://2130706433.:#'],
  ...[
    'http://0177.0.0.1:#',
    'http://0177.0.0.01:#',
    'http://017700000001:#',
    'http://0x7f.0.0.1:#',
    'http://0x7f.1:#',
    'http://0X7F000001:#',
  ],
  ...[
    'http://0x7f.0x0.0x0.0x1:#',
    'http://127.0x0.00.1:#',
    'http://0x7F.0.1:#',
    'http://127.65530:#',
    'http://127.0.0.2:#',
    'http://127.255.255.254:#',
  ],
  ...['http://0:#', 'http://0.0.0.0:#', 'http://00:#', 'http://0x0:#', 'http://0x:#', 'http://0.0:#', 'http://0.:#', 'http://0.0.0.1:#'],
  // IPv4 that is not loopback
  ...['http://10.0.0.1:#', 'http://10.1:#', 'http://167772161:#', 'http://169.254.169.254:#', 'http://2852039166:#', 'http://0xa9fea9fe:#'],
  ...['http://0251.0376.0251.0376:#', 'http://169.16689662:#', 'http://192.168.0.1:#', 'http://172.16.0.1:#', 'http://100.64.0.1:#'],
  ...['http://168.63.129.16:#', 'http://224.0.0.1:#', 'http://255.255.255.255:#', 'http://4294967295:#', 'http://192.0.0.170:#'],
  // IPv6
  ...[
    'http://[::1]:#',
    'http://[0:0:0:0:0:0:0:1]:#',
    'http://[0000:0000:0000:0000:0000:0000:0000:0001]:#',
    'http://[::0.0.0.1]:#',
    'http://[::]:#',
  ],
  ...['http://[::ffff:127.0.0.1]:#', 'http://[::FFFF:7F00:1]:#', 'http://[0:0:0:0:0:ffff:127.0.0.1]:#', 'http://[::ffff:0.0.0.0]:#'],
  ...['http://[::127.0.0.1]:#', 'http://[::7f00:1]:#', 'http://[::ffff:0:127.0.0.1]:#', 'http://[::ffff:169.254.169.254]:#'],
  ...['http://[64:ff9b::127.0.0.1]:#', 'http://[64:ff9b::7f00:1]:#', 'http://[64:ff9b:0:0:0:0:7f00:1]:#', 'http://[64:ff9b:1::7f00:1]:#'],
  ...[
    'http://[64:ff9b::a9fe:a9fe]:#',
    'http://[2002:7f00:1::]:#',
    'http://[2001::7f00:1]:#',
    'http://[2001:0:7f00:1::]:#',
    'http://[fe80::1]:#',
  ],
  ...[
    'http://[fd00::1]:#',
    'http://[fc00::1]:#',
    'http://[fec0::1]:#',
    'http://[ff02::1]:#',
    'http://[ff01::1]:#',
    'http://[2001:db8::1]:#',
  ],
  ...['http://[3fff::1]:#', 'http://[2620:4f:8000::1]:#', 'http://[100::1]:#', 'http://[5f00::1]:#'],
  // zones, which the parser refuses
  ...['http://[fe80::1%25lo]:#', 'http://[fe80::1%lo]:#', 'http://[::1%25lo]:#', 'http://[::1%1]:#'],
  // digits and dots that are mapped (UTS 46), percent-encoded, or left out
  ...[
    'http://１２７.0.0.1:#',
    'http://127.0.0.１:#',
    'http://127。0。0。1:#',
    'http://127．0．0．1:#',
    'http://127｡0｡0｡1:#',
    'http://①②⑦.⓪.⓪.①:#',
  ],
  ...[
    'http://𝟏𝟐𝟕.𝟎.𝟎.𝟏:#',
    'http://𝟘x7f.1:#',
    'http://¹²⁷.0.0.1:#',
    'http://127.0.0.1\u00AD:#',
    'http://12\u200B7.0.0.1:#',
    'http://0ⓧ7f000001:#',
  ],
  ...[
    'http://%31%32%37.0.0.1:#',
    'http://127%2e0%2e0%2E1:#',
    'http://%30:#',
    'http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1:#',
    'http://12\t7.0.\n0.1:#',
  ],
  // users, slashes and schemes
  ...[
    'http://user@127.0.0.1:#',
    'http://example.com:80@127.0.0.1:#',
    'http://example.com%2f@127.0.0.1:#',
    'http:127.0.0.1:#',
    'http:/127.0.0.1:#',
  ],
  ...[
    'http:\\\\127.0.0.1:#',
    'http:///127.0.0.1:#',
    'HTTP://127.0.0.1:#',
    ' http://127.0.0.1:# ',
    'https://127.0.0.1:#',
    'https://[::1]:#',
  ],
  ...['http://127.0.0.1:#\\@example.com/', 'http://127.0.0.1:#?@example.com/', 'http://127.0.0.1:#@127.0.0.1:#'],
  // names that are loopback by themselves
  ...[
    'http://localhost:#',
    'http://LOCALHOST:#',
    'http://LocalHost.:#',
    'http://a.localhost:#',
    'http://A.B.LocalHost.:#',
    'https://localhost:#',
  ],
  ...[
    'http://ｌｏｃａｌｈｏｓｔ:#',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:#',
    'http://localhoſt:#',
    'http://loc%61lhost:#',
    'http://local\u00ADhost:#',
    'http://a。localhost。:#',
  ],
  'http://localhost%2e:#',
];

/** Addresses of names. */
const ADDRESSES = [
  ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '169.254.169.254', '192.168.1.1', '172.31.0.1', '100.100.100.100', '168.63.129.16'],
  ...[
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    'fe80::1',
  ],
  ...['fd00::1', 'ff02::1'],
];

describe('where somebody listens on the loopback', () => {
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

  test.each(URLS)('%j is blocked, without a question', async (url) => {
    const { length } = nameServer.questions;
    expect(await post(url)).toEqual(['blocked_address', false]);
    expect([nameServer.questions.length, receiver.sockets.length]).toEqual([length, 0]);
  });

  test.each(ADDRESSES)('a name with the address %s is blocked, with a dot at its end, too', async (address) => {
    resolved = [address];
    for (const name of ['inside.test', 'inside.test.']) expect(await post(`http://${name}:#`)).toEqual(['blocked_address', false]);
    expect(receiver.sockets.length).toBe(0);
  });
});
