import { answerTo, type EdgeRequest } from '../../src/edge/answers';
import { parseRequest, readHeaders } from '../../src/edge/edge-request';
import { toEntry, type HostLookup, UNAVAILABLE, UNKNOWN } from '../../src/edge/live-hosts';

const HOST = ['Host', 'www.example.com'];

const read = (url: string, { method = 'GET', httpVersion = '1.1', headers = HOST } = {}) =>
  parseRequest({ method, url, httpVersion }, readHeaders(headers));

const host = (...headers: string[]) => (read('/', { headers }) as EdgeRequest).host;

test.each(['POST', 'OPTIONS', 'CONNECT', 'TRACE', 'PUT', 'get'])(
  'the method %s is a 405, whatever else is wrong with the request',
  (method) => {
    expect(read('/.frontdesk/ask', { method, headers: ['Host', 'a', 'Host', 'b'], httpVersion: '2.0' })).toMatchObject({
      status: 405,
      outcome: 'refused',
      headers: expect.arrayContaining(['Allow', 'GET, HEAD']),
    });
  },
);

test.each([
  ['a second Host', { headers: [...HOST, 'hOST', 'www.example.com'] }],
  ['a second Host in HTTP/1.0', { headers: [...HOST, ...HOST], httpVersion: '1.0' }],
  ['no Host in HTTP/1.1', { headers: [] }],
  ['HTTP/0.9', { httpVersion: '0.9' }],
  ['HTTP/2.0', { httpVersion: '2.0' }],
])('%s is a bad request', (_, options) => {
  for (const url of ['/', '/.frontdesk/ask?domain=a.example.com'])
    expect(read(url, options)).toMatchObject({ status: 400, outcome: 'refused' });
});

test('an HTTP/1.0 request without Host has an empty host', () => {
  expect(read('/', { headers: [], httpVersion: '1.0' })).toEqual({ host: '', asksFor: 'index' });
});

test.each([
  ['www.example.com', 'www.example.com'],
  ['WWW.Example.COM', 'www.example.com'],
  ['www.example.com:8443', 'www.example.com'],
  ['www.example.com:', 'www.example.com'],
  ['www.example.com.', 'www.example.com'],
  ['www.example.com.:80', 'www.example.com'],
  ['www.example.com..', 'www.example.com.'],
  ['www.example.com:80:80', ''],
  ['www.example.com:8x', ''],
  ['me@www.example.com', ''],
  ['www.example.com/', ''],
  ['www.example.com, www.example.com', ''],
  ['[::1]:80', ''],
  ['', ''],
  [`${'a'.repeat(300)}.example.com`, ''],
])('the header Host: %s is read as the host %j', (header, expected) => {
  expect(host('Host', header)).toBe(expected);
});

test('only the Host header determines the host', () => {
  expect(host('X-Forwarded-Host', 'evil.example', ...HOST, 'Forwarded', 'host=evil.example')).toBe('www.example.com');
});

test.each([
  ['/', true],
  ['/?a=b&domain=c', true],
  ['/?', true],
  ['//', false],
  ['/.', false],
  ['/./', false],
  ['/index.html', false],
  ['/%2f', false],
  ['/\\', false],
  ['*', false],
  ['http://evil.example', true],
  ['http://evil.example?a', true],
  ['HTTP://evil.example/?a', true],
  ['http://evil.example//', false],
  ['http://evil.example/.', false],
  ['http://evil.example/a', false],
])('the request target %s is the index: %s', (url, isIndex) => {
  expect(read(url)).toEqual({ host: 'www.example.com', asksFor: isIndex ? 'index' : 'other path' });
});

test.each([
  ['?domain=www.example.com', 'www.example.com'],
  ['?domain=WWW.example.com.', 'www.example.com'],
  ['?other=x&domain=www.example.com', 'www.example.com'],
  ['?domain=www%2Eexample.com', 'www.example.com'],
  ['', ''],
  ['?', ''],
  ['?domain', ''],
  ['?domain=', ''],
  ['?Domain=www.example.com', ''],
  ['?domain=www.example.com&domain=www.example.com', ''],
  ['?domain=www.example.com&d%6Fmain=', ''],
  ['?domain=www.example.com:443', ''],
  ['?domain=www.example.com%00', ''],
  ['?domain=www.e%E2%84%AAample.com', ''],
  ['?domain=https://www.example.com', ''],
  ['?domain=*.example.com', ''],
  ['?domain=%', ''],
])('GET /.frontdesk/ask%s asks for the host %j', (query, expected) => {
  expect(read(`/.frontdesk/ask${query}`)).toEqual({ host: expected, asksFor: 'certificate' });
});

test.each(['/.frontdesk/ask/', '//.frontdesk/ask', '/.frontdesk/ASK', '/.frontdesk/%61sk', '/.frontdesk/asks'])(
  '%s is an ordinary path',
  (path) => {
    expect(read(`${path}?domain=www.example.com`)).toEqual({ host: 'www.example.com', asksFor: 'other path' });
  },
);

test.each(['Via', 'forwarded', 'X-FORWARDED-FOR'])('an ask with the proxy header %s is an ordinary path', (name) => {
  expect(read('/.frontdesk/ask?domain=a.example.com', { headers: [...HOST, name, ''] })).toEqual({
    host: 'www.example.com',
    asksFor: 'other path',
  });
});

describe('answerTo', () => {
  const INDEX: EdgeRequest = { host: 'www.example.com', asksFor: 'index' };
  const OTHER: EdgeRequest = { ...INDEX, asksFor: 'other path' };
  const ASK: EdgeRequest = { ...INDEX, asksFor: 'certificate' };
  const entry = (indexUrl: string, notFoundUrl = '') => toEntry({ host: 'www.example.com', indexUrl, notFoundUrl });
  const location = (stored: string) => {
    const { headers, status } = answerTo(INDEX, entry(stored));
    return status === 302 ? headers[headers.indexOf('Location') + 1] : status;
  };

  test('the index and other paths redirect to their URLs', () => {
    const both = entry('https://example.com/welcome', 'https://example.com/missing?a#b');
    expect(answerTo(INDEX, both)).toMatchObject({ status: 302, outcome: 'index', body: '' });
    expect(answerTo(INDEX, both).headers.slice(0, 2)).toEqual(['Location', 'https://example.com/welcome']);
    expect(answerTo(OTHER, both).headers.slice(0, 2)).toEqual(['Location', 'https://example.com/missing?a#b']);
    const same = entry('https://example.com/', 'https://example.com/');
    for (const request of [INDEX, OTHER]) expect(answerTo(request, same).headers.slice(0, 2)).toEqual(['Location', 'https://example.com/']);
  });

  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com:443/ä b?ü#ö', 'https://example.com/%C3%A4%20b?%C3%BC#%C3%B6'],
    ['https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
    ['https://example.com/a\r\nSet-Cookie: b', 'https://example.com/aSet-Cookie:%20b'],
    ['https://sub.www.example.com/', 'https://sub.www.example.com/'],
    ['https://example.com/www.example.com', 'https://example.com/www.example.com'],
  ])('the URL %j redirects to %s', (stored, href) => {
    expect(location(stored)).toBe(href);
  });

  test.each([
    '',
    'https://www.example.com/',
    'http://www.example.com:8080/a',
    'https://WWW.EXAMPLE.COM./',
    'https://user@www.example.com/',
    'https://ｗｗｗ.example.com/',
    'javascript:alert(1)',
    'no URL',
  ])('the URL %j is a 404', (stored) => {
    expect(location(stored)).toBe(404);
  });

  test('an unknown host and one without a redirect get the same response', () => {
    const [unknown, empty] = [answerTo(INDEX, UNKNOWN), answerTo(INDEX, entry(''))];
    expect({ ...empty, outcome: '' }).toEqual({ ...unknown, outcome: '' });
    expect([unknown.outcome, empty.outcome]).toEqual(['unknown', 'no_url']);
    expect(unknown.body).toContain('<!doctype html>');
  });

  test('a TLS proxy gets a status and no body', () => {
    const findings: HostLookup[] = [entry(''), UNKNOWN, UNAVAILABLE];
    const answers = findings.map((finding) => answerTo(ASK, finding));
    expect(answers.map(({ status, body, outcome }) => [status, body, outcome])).toEqual([
      [200, '', 'ask_yes'],
      [404, '', 'ask_no'],
      [503, '', 'unavailable'],
    ]);
  });

  test('an unavailable lookup is a 503 with Retry-After', () => {
    for (const request of [INDEX, ASK])
      expect(answerTo(request, UNAVAILABLE).headers).toEqual(expect.arrayContaining(['Retry-After', '5']));
  });
});
