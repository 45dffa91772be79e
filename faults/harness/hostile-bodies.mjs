import { integer, noise, pick } from './random.mjs';
import { raw } from './request-text.mjs';

const PATHS = ['/api/domains', '/api/domains/1', '/api/notification-handlers', '/api/notification-handlers/1'];
const BOUNDARY = 'frontier';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const URLENCODED = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const BRACKETED = [
  'host[]',
  'host[a]',
  'a[b][c]',
  '__proto__[x]',
  'constructor[prototype]',
  'host[99999999]',
  '[',
  ']',
  '[[[[[[',
  'a[',
  'host[0]',
];
const ODD_TYPES = [
  'text/xml',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `${MULTIPART}; charset=utf-16`,
  'application/json; charset=latin1',
  'a',
  ';',
  `${URLENCODED}; charset=x`,
];
const ODD_JSON = [
  '',
  '[]',
  'null',
  '"a"',
  '1',
  '{"host":null}',
  '{"host":{}}',
  '{"host":["a"]}',
  '{"host":1e999}',
  '{"host":"a","host":"b"}',
  '{"__proto__":{"a":1}}',
  '{',
  '\u00ef\u00bb\u00bf{}',
];

export function withBody(common, path, type, body, extra = []) {
  return raw('POST', path, [...common, `Content-Type: ${type}`, `Content-Length: ${body.length}`, ...extra], body);
}

export function parts(fields) {
  const texts = fields.map(([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  return `${texts.join('')}--${BOUNDARY}--\r\n`;
}

export function nested(depth, open = '{"a":', close = '}') {
  return open.repeat(depth) + '1' + close.repeat(depth);
}

/** Well-framed requests with malformed bodies; each must get a response. */
export function hostileBodies(common) {
  const post = (type, make) => (random) => ({ bytes: withBody(common, pick(random, PATHS), type, make(random)), isWhole: true });
  return {
    'deep JSON': post(JSON_TYPE, (random) => nested(integer(random, 2, 9_000))),
    'deep lists': post(JSON_TYPE, (random) => nested(integer(random, 2, 30_000), '[', ']')),
    'odd JSON': post(JSON_TYPE, (random) => pick(random, ODD_JSON)),
    'many names in JSON': post(
      JSON_TYPE,
      (random) => `{${Array.from({ length: integer(random, 10, 2_000) }, (_, n) => `"a${n}":1`).join()}}`,
    ),
    'random JSON': post(JSON_TYPE, (random) => `{"host":"${noise(random, integer(random, 1, 60))}"}`),
    'bracketed names': post(MULTIPART, (random) =>
      parts([
        [pick(random, BRACKETED), 'a'],
        ['host', 'a.example.com'],
      ]),
    ),
    'deep brackets': post(MULTIPART, (random) => parts([[`a${'[b]'.repeat(integer(random, 1, 2_000))}`, 'a']])),
    'bracketed pairs': post(URLENCODED, (random) => `${pick(random, BRACKETED)}=1&${pick(random, BRACKETED)}=2`),
    'many parts': post(MULTIPART, (random) => parts(Array.from({ length: integer(random, 10, 500) }, (_, n) => [`a${n}`, 'a']))),
    'a file': post(MULTIPART, (random) => parts([[`a"; filename="${noise(random, 5, 0x61, 0x7a)}`, noise(random, 200)]])),
    'random parts': post(MULTIPART, (random) => `--${BOUNDARY}${noise(random, integer(random, 1, 200))}\r\n--${BOUNDARY}--\r\n`),
    'a part without end': post(MULTIPART, (random) => parts([['host', 'a']]).slice(0, -integer(random, 2, 40))),
    'odd part headers': post(
      MULTIPART,
      (random) => `--${BOUNDARY}\r\n${noise(random, 30, 1)}: a\r\nContent-Disposition: form-data; name=\r\n\r\na\r\n--${BOUNDARY}--\r\n`,
    ),
    'many pairs': post(URLENCODED, (random) => 'a=1&'.repeat(integer(random, 10, 15_000))),
    'bad escapes': post(URLENCODED, (random) => `host=%${noise(random, 4, 0x21, 0xff)}&name=%ff%fe`),
    'random pairs': post(URLENCODED, (random) => noise(random, integer(random, 1, 300))),
    'a long value': post(URLENCODED, (random) => `host=${'a.'.repeat(integer(random, 100, 4_000))}&name=a`),
    'a body too long': post(URLENCODED, (random) => `host=${'a'.repeat(integer(random, 65_000, 200_000))}`),
    'a valid form': post(URLENCODED, (random) => `name=${noise(random, 8, 0x61, 0x7a)}&type=email`),
    'odd types': (random) => ({ bytes: withBody(common, pick(random, PATHS), pick(random, ODD_TYPES), 'host=a'), isWhole: true }),
    'odd encodings': (random) => ({
      bytes: withBody(common, pick(random, PATHS), JSON_TYPE, noise(random, 50), [
        `Content-Encoding: ${pick(random, ['gzip', 'br', 'x', 'deflate, gzip'])}`,
      ]),
      isWhole: true,
    }),
  };
}
