import { nested, parts, withBody } from './hostile-bodies.mjs';
import { raw } from './request-text.mjs';

const MEGABYTE = 1_000_000;
/** The limits of a form: within them, everything is parsed. */
const MAX_FORM_BYTES = 65_000;
const MAX_HEADER_BYTES = 15_000;
const MULTIPART = 'multipart/form-data; boundary=frontier';
const URLENCODED = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** Requests of maximum length that are slow to parse: names, brackets, escapes, nesting, and patterns that backtrack. */
export function longRequests(key) {
  const common = ['Host: a', `Authorization: Bearer ${key}`, 'Connection: close'];
  const post = (type, body) => withBody(common, '/api/notification-handlers', type, body);
  const get = (target, extra = []) => raw('GET', target, [...common, ...extra]);
  const filled = (text, length) => text.repeat(Math.floor(length / text.length));
  const bodies = {
    'JSON, deep': [JSON_TYPE, (length) => nested(Math.floor(length / 7))],
    'JSON, deep lists': [JSON_TYPE, (length) => nested(Math.floor(length / 2) - 1, '[', ']')],
    'JSON, many names': [JSON_TYPE, (length) => `{${filled('"a":1,', length)}"b":1}`],
    'JSON, backslashes': [JSON_TYPE, (length) => `{"name":"${filled('\\\\', length)}"}`],
    'JSON, quotes without end': [JSON_TYPE, (length) => filled('"a', length)],
    'pairs, many': [URLENCODED, (length) => filled('a=1&', length)],
    'pairs, escapes': [URLENCODED, (length) => `name=${filled('%20', length)}`],
    'pairs, brackets': [URLENCODED, (length) => filled('a[b]=1&', length)],
    'parts, many': [MULTIPART, (length) => parts(Array.from({ length: Math.floor(length / 60) }, () => ['a', '1']))],
    'parts, brackets': [MULTIPART, (length) => parts([[`a${filled('[b]', length)}`, '1']])],
    'parts, near boundaries': [
      MULTIPART,
      (length) => `--frontier\r\nContent-Disposition: form-data; name="a"\r\n\r\n${filled('\r\n--frontie', length)}`,
    ],
    'parts, long header': [MULTIPART, (length) => `--frontier\r\nContent-Disposition: form-data; ${filled('a="\\"', length)}`],
  };
  const values = {
    'a host of labels': `host=${filled('a.', 8_000)}`,
    'a host of hyphens': `host=${filled('-', 8_000)}.example.com`,
    'a URL': `host=a.example.com&custom_index_url=https://${filled('a@', 4_000)}`,
    'an address': `name=a&type=email&email=${filled('a.', 4_000)}@`,
    'a phone number': `name=a&type=twilio&twilio=+${filled('1 (', 8_000)}`,
    spaces: `name=a${filled(' ', 7_000)}a&type=email`,
  };
  return [
    ...Object.entries(bodies).flatMap(([kind, [type, make]]) => [
      { kind: `${kind}, 65 kB`, bytes: post(type, make(MAX_FORM_BYTES)) },
      { kind: `${kind}, 1 MB`, bytes: post(type, make(MEGABYTE)) },
    ]),
    ...Object.entries(values).map(([kind, body]) => ({
      kind,
      bytes: withBody(common, body.startsWith('host') ? '/api/domains' : '/api/notification-handlers', URLENCODED, body),
    })),
    { kind: 'a long target', bytes: get(`/api/domains/${filled('%', MAX_HEADER_BYTES)}`) },
    { kind: 'a long query', bytes: get(`/scheduling?${filled('a=1&', MAX_HEADER_BYTES)}`) },
    { kind: 'a long filter', bytes: get(`/scheduling?api=agendamentos&nome=${filled('%CC%81', MAX_HEADER_BYTES)}`) },
    { kind: 'a long id', bytes: get(`/api/domains/${filled('9', MAX_HEADER_BYTES)}`) },
    {
      kind: 'many headers',
      bytes: get(
        '/api/domains',
        Array.from({ length: 1_500 }, (_, number) => `X-${number}: a`),
      ),
    },
    { kind: 'headers of 1 MB', bytes: get('/api/domains', [`X-Long: ${filled('a', MEGABYTE)}`]) },
    {
      kind: 'a long key',
      bytes: raw('GET', '/api/domains', ['Host: a', `Authorization: Bearer ${filled('fd_', MAX_HEADER_BYTES)}`, 'Connection: close']),
    },
    {
      kind: 'chunks of a byte',
      bytes: raw('POST', '/api/domains', [...common, 'Transfer-Encoding: chunked'], filled('1\r\na\r\n', MEGABYTE)),
    },
  ];
}
