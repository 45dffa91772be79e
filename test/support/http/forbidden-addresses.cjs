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

module.exports = { ADDRESSES, URLS };
