/** @mysql never */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/jest/clock';
import { DOMAINS_BEFORE, type EdgeServer, INDEX_URL, NOT_FOUND_URL, useEdge } from '../support/http/edge';
import { freePort } from '../support/servers/free-port.cjs';
import { type RawAnswer, sendRaw } from '../support/http/raw-request';
import { newHost } from '../support/areas/records';

const served = useEdge();

const ASK = '/.frontdesk/ask?domain=';

/** The log's lines of requests with such ids, and of those that could not be read, once there are as many. */
async function logged(edge: EdgeServer, id: string, count: number): Promise<object[]> {
  for (;;) {
    const lines = edge.process
      .said()
      .split('\n')
      .filter((line) => (line.includes(`"${id}"`) || line.includes('"method":null')) && line.endsWith('}'));
    if (lines.length >= count) return lines.map((line) => JSON.parse(line) as object);
    await pause(20);
  }
}

/** An answer without what differs between any two. */
const constant = ({ status, headers, text }: RawAnswer) => ({ status, headers: { ...headers, date: '', 'x-request-id': '' }, text });

test('a live domain redirects to its two URLs and ignores the caller’s query and headers', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http', Cookie: 'a=b', Forwarded: 'host=evil.example' };
  const index = await edge.get(host, '/?to=https://evil.example', forged);
  expect([index.status, index.text]).toEqual([302, '']);
  expect(Object.keys(index.headers).sort()).toEqual(
    [
      'cache-control',
      'connection',
      'content-length',
      'date',
      'keep-alive',
      'location',
      'referrer-policy',
      'x-content-type-options',
      'x-request-id',
    ].filter((name) => name in index.headers || name !== 'keep-alive'),
  );
  expect(index.headers).toMatchObject({
    location: INDEX_URL,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  for (const path of ['/a?b', '//', '/.', '/index.html', `${ASK}${host}&domain=a`.replace('/ask', '/asks')]) {
    expect([path, await edge.location(host, path)]).toEqual([path, NOT_FOUND_URL]);
  }
  expect(await edge.location(`${host.toUpperCase()}.:8443`)).toBe(INDEX_URL);
  const head = await edge.get(host, '/', {}, 'HEAD');
  expect(constant(head)).toEqual(constant(await edge.get(host)));
  await edge.createLive({ host: `xn--mnchen-3ya.${host}`, custom_index_url: 'https://münchen.example/ü' });
  expect(await edge.location(`xn--mnchen-3ya.${host}`)).toBe('https://xn--mnchen-3ya.example/%C3%BC');
});

test('an idle connection is kept longer than Caddy keeps its own', async () => {
  const answer = await served().exchange(`GET / HTTP/1.1\r\nHost: ${newHost()}\r\n\r\n`);
  expect(answer).toContain('\r\nKeep-Alive: timeout=620\r\n');
});

test('unknown, pending and redirect-less hosts get the same response', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const empty = await edge.createDomain({ custom_index_url: '', custom_not_found_url: '' });
  const itself = newHost();
  const toItself = { host: itself, custom_index_url: `http://${itself}.:8080/a`, custom_not_found_url: '' };
  for (const domain of [empty, await edge.createDomain(toItself)]) await edge.verify(domain);
  await edge.untilShown();
  const pending = await edge.createDomain();
  const unknown = await edge.get(newHost());
  expect(unknown.status).toBe(404);
  expect(unknown.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(unknown.headers['set-cookie'] ?? unknown.headers.etag).toBeUndefined();
  for (const [other, path] of [
    [empty.host, '/'],
    [empty.host, '/a'],
    [itself, '/'],
    [itself, '/a'],
    [pending.host, '/'],
    ['127.0.0.1', '/'],
    ['', '/'],
    [`x.${host}`, '/'],
    [newHost(), ASK + 'a'.repeat(8_000)],
  ]) {
    const headers = path.startsWith(ASK) ? { Via: '1.1 a' } : undefined;
    expect([other, constant(await edge.get(other, path, headers))]).toEqual([other, constant(unknown)]);
  }
});

test('ask returns 200 only for hosts that may get a certificate', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const pending = await edge.createDomain();
  const statuses: [string, number][] = [
    [host, 200],
    [`${host.toUpperCase()}.`, 200],
    [pending.host, 404],
    [newHost(), 404],
    ['127.0.0.1', 404],
    [`${host}&domain=${host}`, 404],
    ['', 404],
  ];
  for (const [domain, status] of statuses) expect([domain, await edge.ask(domain)]).toEqual([domain, status]);
  const yes = await edge.get('localhost', ASK + host);
  expect([yes.text, yes.headers['cache-control']]).toEqual(['', 'no-store']);
  expect(constant(await edge.get('localhost', ASK + host, {}, 'HEAD'))).toEqual(constant(yes));
  for (const [name, value] of [
    ['X-Forwarded-For', '203.0.113.1'],
    ['Forwarded', 'for=203.0.113.1'],
    ['Via', '1.1 proxy'],
  ]) {
    const { headers } = await edge.get(host, ASK + host, { [name]: value });
    expect([name, headers.location]).toEqual([name, NOT_FOUND_URL]);
  }
});

test('malformed requests get an error page', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const request = (line: string, ...headers: string[]) => `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;
  const named = `Host: ${host}`;
  const refused: [string, number][] = [
    [request('POST / HTTP/1.1', named, 'Content-Length: 0'), 405],
    [request('OPTIONS * HTTP/1.1', named), 405],
    [request('CONNECT example.com:443 HTTP/1.1', named), 405],
    [request('GET / HTTP/1.1'), 400],
    [request('GET / HTTP/1.1', named, named), 400],
    [request('GET / HTTP/0.9', named), 400],
    [request('GET / HTTP/2.0', named), 400],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['GET /\r\n\r\n', 400],
    [request('GET / HTTP/1.1', named, 'X-A: \u0001'), 400],
    [request('GET / HTTP/1.1', named, 'Transfer-Encoding: chunked', 'Content-Length: 3'), 400],
    [request('GET / HTTP/1.1', named, `X-A: ${'a'.repeat(17_000)}`), 413],
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ];
  for (const [bytes, status] of refused) {
    const answer = await edge.exchange(Buffer.from(bytes, 'latin1'));
    const [head, body] = answer.split('\r\n\r\n');
    expect([bytes.slice(0, 60), head.split('\r\n')[0]]).toEqual([bytes.slice(0, 60), expect.stringMatching(`^HTTP/1.1 ${status} `)]);
    expect(head).toMatch(/^X-Request-Id: [\w-]+$/m);
    expect(head).toMatch(/^Content-Security-Policy: default-src 'none'\r$/m);
    expect(head).toMatch(/^Cache-Control: no-store\r$/m);
    expect(head).toMatch(/^Connection: close$/m);
    expect(/^Allow: GET, HEAD\r$/m.test(head)).toBe(status === 405);
    expect(body).toMatch(/^<!doctype html>\n/);
  }
  const taken: [string, string][] = [
    [request('GET http://evil.example/ HTTP/1.1', named), INDEX_URL],
    [request('GET http://evil.example/. HTTP/1.1', named), NOT_FOUND_URL],
    [request(`GET /${'a'.repeat(8_192)} HTTP/1.1`, named), NOT_FOUND_URL],
    [request('GET / HTTP/1.0', named), INDEX_URL],
    [request('GET / HTTP/1.1', named, 'Expect: something', 'Upgrade: h2c', 'Content-Length: 0'), INDEX_URL],
  ];
  for (const [bytes, location] of taken) expect(await edge.exchange(bytes)).toContain(`\r\nLocation: ${location}\r\n`);
  expect(await edge.exchange(request('GET / HTTP/1.0'))).toMatch(/^HTTP\/1.1 404 /);
});

test('the edge responds without waiting for a request body', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  for (const line of ['POST / HTTP/1.1', 'GET / HTTP/1.1']) {
    for (const length of ['Content-Length: 500000000', 'Transfer-Encoding: chunked']) {
      const answer = await edge.exchange(`${line}\r\nHost: ${host}\r\n${length}\r\n\r\n`);
      expect(answer).toMatch(/^Connection: close\r$/m);
    }
  }
});

test('a pipelined CONNECT and a thousand headers get regular responses', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const connectAfter = (line: string) => `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`;
  for (const line of ['GET /', `GET ${ASK}${newHost()}`]) {
    const statuses = [...(await edge.exchange(connectAfter(line))).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toEqual([line === 'GET /' ? '302' : '404', '405']);
  }
  const many = 'A:\r\n'.repeat(1_100);
  const last = (header: string) =>
    edge.exchange(`GET ${ASK}${host} HTTP/1.1\r\nHost: ${host}\r\n${many}${header}\r\nConnection: close\r\n\r\n`);
  expect(await last('X-Forwarded-For: 203.0.113.1')).toContain(`\r\nLocation: ${NOT_FOUND_URL}\r\n`);
  expect(await last(`Host: ${host}`)).toMatch(/^HTTP\/1.1 400 /);
});

test('a rejected request ends its connection', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const good = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const answers = await edge.exchange(`${good}GET / HTTP/1.1\r\n\r\n${good}`);
  expect(answers.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 302', 'HTTP/1.1 400']);
});

test('a well-formed X-Request-Id of the caller is kept', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  const id = async (...given: string[]) => (await edge.get(host, '/', { 'X-Request-Id': given })).headers['x-request-id'];
  expect(await id('abc.DEF-1_2')).toBe('abc.DEF-1_2');
  for (const bad of [['a b'], ['a'.repeat(129)], ['a', 'b']]) expect(await id(...bad)).toMatch(/^[0-9a-f-]{36}$/);
});

describe('an edge with METRICS_PORT', () => {
  let metricsPort: number;
  const served = useEdge(async () => {
    metricsPort = await freePort();
    return { METRICS_PORT: String(metricsPort) };
  });

  test('requests are counted, and logged with their outcome but not their host', async () => {
    const edge = served();
    const { host } = edge.takeLive();
    const unknown = newHost();
    const mine = { 'X-Request-Id': 'mine' };
    await edge.get(host, '/secret?path', mine);
    await edge.get(host, '/', mine, 'HEAD');
    await edge.get(unknown, '/', mine);
    await edge.get('localhost', ASK + unknown, mine);
    await edge.exchange('nonsense\r\n\r\n');
    const lines = await logged(edge, 'mine', 4);
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'request', method: 'GET', route: null, status: 302, account: null, edge: 'not_found_url' }),
      expect.objectContaining({
        method: 'HEAD',
        status: 302,
        edge: 'index',
        request_id: expect.any(String),
        duration_ms: expect.any(Number),
      }),
      expect.objectContaining({ status: 404, edge: 'unknown' }),
      expect.objectContaining({ method: null, status: 400, edge: 'refused' }),
    ]);
    for (const text of [host, unknown, 'secret', '/.frontdesk']) expect(edge.process.said()).not.toContain(text);
    const figures = async () => (await sendRaw(metricsPort, { method: 'GET', path: '/metrics' })).text;
    const last = ['frontdesk_edge_requests_total{outcome="refused"} 1\n', `frontdesk_edge_hosts ${DOMAINS_BEFORE}\n`];
    const text = await until(figures, (given) => last.every((line) => given.includes(line)));
    for (const line of ['frontdesk_edge_requests_total{outcome="not_found_url"} 1', 'frontdesk_edge_requests_total{outcome="ask_no"} 1']) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).toMatch(/^frontdesk_edge_sync_age_seconds \d/m);
  });
});
