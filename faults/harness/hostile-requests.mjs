import { hostileBodies } from './hostile-bodies.mjs';
import { integer, noise, pick } from './random.mjs';
import { raw } from './request-text.mjs';
import { changed, cut, encoded } from './spoiled-text.mjs';

const PATHS = [
  '/api/domains',
  '/api/domains/',
  '/api/domains/1',
  '/api/notification-handlers',
  '/api/notification-handler/1',
  '/api/notifications',
  '/scheduling?api=servicos',
  '/scheduling?api=agendamentos&nome=a',
  '/health/live',
  '/openapi.json',
  '/nowhere',
];
const METHODS = ['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'HEAD', 'CONNECT', 'PROPFIND', 'PURGE', 'QUERY', 'get', 'BREW', 'LINK', 'M-SEARCH'];
const ODD_TARGETS = [
  '*',
  'http://a.example/api/domains',
  'a.example:443',
  '//',
  '/%',
  '/%00',
  '/%c0%af',
  '/../../etc/passwd',
  '/api//domains',
  '?',
  '#',
];
const ODD_QUERIES = [
  'page=',
  'page=1&page=2',
  'page[]=1',
  'page[a]=1',
  '__proto__=1',
  'page=1e9',
  `page=${'9'.repeat(400)}`,
  '%',
  '%ff=%fe',
  '&&&==',
  'a'.repeat(4_000),
];
const ODD_AUTHORIZATIONS = [
  'Bearer',
  'Bearer ',
  'bearer x',
  'Basic YTpi',
  'Bearer \u00ff\u00fe',
  'Bearer a b c',
  'Digest username="a"',
  '',
  'Bearer fd_' + 'a'.repeat(9_000),
];

/** Kinds of requests: bytes to send, as latin1; `isWhole` if the service must respond before the client half-closes. */
export function hostileKinds(key) {
  const authorization = `Authorization: Bearer ${key}`;
  const common = ['Host: a', authorization, 'Connection: close'];
  const whole = (make) => (random) => ({ bytes: make(random), isWhole: true });
  const broken = (make) => (random) => ({ bytes: make(random), isWhole: false });
  return {
    'wrong verb': broken((random) => raw(pick(random, METHODS), pick(random, PATHS), common)),
    'verb behind a request': broken((random) =>
      [raw('GET', pick(random, PATHS), common.slice(0, 2)), raw(pick(random, METHODS), pick(random, [...PATHS, 'a:1']), common)].join(''),
    ),
    'odd target': broken((random) => raw('GET', pick(random, ODD_TARGETS) + noise(random, integer(random, 0, 9), 0x21, 0xff), common)),
    'odd query': whole((random) => raw('GET', `/api/domains?${pick(random, ODD_QUERIES)}`, common)),
    'random query': whole((random) => raw('GET', `/scheduling?${encoded(noise(random, integer(random, 1, 80)))}`, common)),
    'random filter': whole((random) =>
      raw('GET', `/scheduling?api=agendamentos&nome=${encodeURIComponent(noise(random, 20, 0, 0x7ff))}`, common),
    ),
    'random id': broken((random) => raw(pick(random, ['GET', 'DELETE']), `/api/domains/${encoded(noise(random, 6))}`, common)),
    'huge id': whole((random) => raw('GET', `/api/notification-handler/${'9'.repeat(integer(random, 1, 3_000))}`, common)),
    'two Host': broken((random) => raw('GET', pick(random, PATHS), [...common, 'Host: evil.example'])),
    'no Host': broken((random) => raw('GET', pick(random, PATHS), common.slice(1))),
    'odd Host': broken((random) => raw('GET', pick(random, PATHS), [`Host: ${noise(random, 12, 0x21, 0xff)}`, ...common.slice(1)])),
    'two Authorization': broken((random) =>
      raw('GET', pick(random, PATHS), [...common, pick(random, [authorization, 'Authorization: Bearer x'])]),
    ),
    'odd Authorization': broken((random) =>
      raw('GET', '/api/domains', ['Host: a', `Authorization: ${pick(random, ODD_AUTHORIZATIONS)}`, 'Connection: close']),
    ),
    'giant header': broken((random) => raw('GET', '/api/domains', [...common, `X-Giant: ${'a'.repeat(integer(random, 8_000, 40_000))}`])),
    'many headers': broken((random) =>
      raw('GET', '/api/domains', [...common, ...Array.from({ length: integer(random, 100, 3_000) }, (_, n) => `X-${n}: a`)]),
    ),
    'odd header': broken((random) => raw('GET', '/api/domains', [...common, noise(random, integer(random, 1, 40), 0, 255)])),
    'long target': broken((random) => raw('GET', `/${'a'.repeat(integer(random, 1_000, 30_000))}`, common)),
    'bad version': broken((random) =>
      raw('GET', '/api/domains', common).replace(
        'HTTP/1.1',
        pick(random, ['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP', 'RTSP/1.0', 'HTTP/1.1 ']),
      ),
    ),
    'bare line feeds': broken((random) => raw('GET', pick(random, PATHS), common).replaceAll('\r\n', '\n')),
    'two lengths': broken((random) =>
      raw('POST', '/api/domains', [...common, 'Content-Length: 3', `Content-Length: ${integer(random, 0, 9)}`], 'a=b'),
    ),
    'length and chunks': broken((random) =>
      raw(
        'POST',
        '/api/domains',
        [...common, 'Content-Length: 3', 'Transfer-Encoding: chunked'],
        `${integer(random, 0, 9)}\r\na\r\n0\r\n\r\n`,
      ),
    ),
    'bad length': broken((random) =>
      raw(
        'POST',
        '/api/domains',
        [...common, `Content-Length: ${pick(random, ['-1', '1e3', '0x10', '99999999999999999999', ' ', '+3'])}`],
        'a=b',
      ),
    ),
    'bad chunks': broken((random) =>
      raw('POST', '/api/domains', [...common, 'Transfer-Encoding: chunked'], `${noise(random, 3)}\r\n${noise(random, 20)}\r\n0\r\n\r\n`),
    ),
    'odd coding': broken((random) =>
      raw(
        'POST',
        '/api/domains',
        [...common, `Transfer-Encoding: ${pick(random, ['gzip', 'identity', 'chunked, gzip', 'xchunked', 'chunked\t'])}`],
        '0\r\n\r\n',
      ),
    ),
    'cut off': broken((random) => cut(random, raw('POST', '/api/domains', [...common, 'Content-Length: 500'], 'host=a.example.com'))),
    expectation: broken((random) =>
      raw('POST', '/api/domains', [...common, `Expect: ${pick(random, ['100-continue', 'cake', ''])}`, 'Content-Length: 0']),
    ),
    upgrade: broken((random) =>
      raw('GET', pick(random, PATHS), ['Host: a', authorization, 'Connection: Upgrade', `Upgrade: ${pick(random, ['websocket', 'h2c'])}`]),
    ),
    'random bytes': broken((random) => noise(random, integer(random, 1, 400))),
    'changed bytes': broken((random) => changed(random, raw('GET', pick(random, PATHS), common))),
    'odd request id': whole((random) =>
      raw('GET', '/api/domains', [...common, `X-Request-Id: ${noise(random, integer(random, 1, 300), 0x21, 0x7e)}`]),
    ),
    ...hostileBodies(common),
  };
}
