/** @mysql whole */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { DomainsService } from '../../../src/domains/domains.service';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
import { onMysql } from '../../support/servers/database';
import { expectErrors, readErrors } from '../../support/http/errors';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

test('the body is exactly as documented', async () => {
  const response = await account.client.get(`${DOMAINS}?results_per_page=20`).set('X-Request-Id', 'my.request_1-A');
  expect(response.status).toBe(400);
  expect(response.text).toBe(
    '{"errors":[{"id":"my.request_1-A","status":400,"code":"invalid_parameter","title":"Invalid parameter",' +
      '"detail":"results_per_page must be one of 10, 25, 50, 100, 250, 500, 1000.",' +
      '"source":{"in":"query","name":"results_per_page"}}]}',
  );
});

describe('one response lists every violation of a request', () => {
  test('of a query', async () => {
    expectErrors(
      await account.client.get(`${DOMAINS}?page=0&results_per_page=7&colour=red&size=1`),
      { code: 'unknown_parameter', source: 'query.colour' },
      { code: 'unknown_parameter', source: 'query.size' },
      { code: 'invalid_parameter', source: 'query.page' },
      { code: 'invalid_parameter', source: 'query.results_per_page' },
    );
  });

  test('of a form; one with a wrong query, too, lists those of the query', async () => {
    const form = { scheme: 'ftp://', custom_index_url: 'x', colour: 'red' };
    expectErrors(await account.client.post(`${DOMAINS}?page=1`, form), { code: 'unknown_parameter', source: 'query.page' });
    expectErrors(
      await account.client.post(DOMAINS, form),
      { code: 'unknown_parameter', source: 'form.colour' },
      { code: 'missing_parameter', source: 'form.host' },
      { code: 'invalid_parameter', source: 'form.scheme' },
      { code: 'invalid_parameter', source: 'form.custom_index_url' },
    );
  });

  test('of a handler, with fields of another type', async () => {
    const response = await account.client.post(HANDLERS, {
      name: 'x'.repeat(129),
      type: 'email',
      email: 'nobody',
      slack: 'https://a.example',
    });
    expectErrors(
      response,
      { code: 'invalid_parameter', source: 'form.name' },
      { code: 'invalid_parameter', source: 'form.email' },
      { code: 'invalid_parameter', source: 'form.slack', detail: /slack.*email/ },
    );
  });
});

describe('one response lists every violation of a handler update', () => {
  const form = { is_enabled: '9', slack: 'https://hooks.example.com/x', discord: 'zz', twilio: '' };
  const ofForm = [
    { code: 'invalid_parameter', source: 'form.is_enabled' },
    { code: 'invalid_parameter', source: 'form.discord' },
  ] as const;

  test('with fields that belong to a type other than the stored one', async () => {
    const id = await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
    expectErrors(
      await account.client.post(`${HANDLERS}/${id}`, { slack: form.slack, discord: 'https://discord.com/api/webhooks/x' }),
      { code: 'invalid_parameter', source: 'form.slack', detail: 'slack belongs to the type slack; this handler is of type email.' },
      { code: 'invalid_parameter', source: 'form.discord', detail: 'discord belongs to the type discord; this handler is of type email.' },
    );
  });

  test('the form’s own before those that depend on the stored type, and before a missing handler', async () => {
    expectErrors(
      await account.client.post(`${HANDLERS}/${await account.client.create(HANDLERS, { name: 'Desk', type: 'email' })}`, form),
      ...ofForm,
    );
    for (const id of ['999999', '9'.repeat(400)]) expectErrors(await account.client.post(`${HANDLERS}/${id}`, form), ...ofForm);
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'A-b_c.9', 'x'.repeat(128)])('is the client’s when it is %s', async (id) => {
    const fine = await account.client.get(DOMAINS).set('X-Request-Id', id);
    const wrong = await account.client.get('/nowhere').set('X-Request-Id', id);
    expect(fine.headers['x-request-id']).toBe(id);
    expect(wrong.headers['x-request-id']).toBe(id);
    expect(readErrors(wrong)[0].id).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'é', '<script>', 'a,b'])('is generated in place of %j', async (id) => {
    const first = await account.client.get(DOMAINS).set('X-Request-Id', id);
    const second = await account.client.get(DOMAINS).set('X-Request-Id', id);
    expect(first.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(first.headers['x-request-id']).not.toBe(id);
    expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
  });

  test('is on every response: created, empty, unauthenticated', async () => {
    const answers = [
      await account.client.post(DOMAINS, { host: newHost() }),
      await account.client.send('HEAD', DOMAINS),
      await application().client().get(DOMAINS),
      await application().client().get('/health/live'),
      await application().client().get('/docs'),
    ];
    for (const { headers } of answers) expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('an internal error', () => {
  test('is a 500 without details', async () => {
    jest.spyOn(application().app.get(DomainsService), 'findPage').mockRejectedValue(new Error('SELECT secret FROM vault'));
    const response = await account.client.get(DOMAINS);
    expectErrors(response, { code: 'internal_error' });
    expect(response.text).not.toMatch(/vault|secret|Error:/);
  });

  test('an unavailable database is a 503 with Retry-After', async () => {
    const refused = onMysql ? { errno: 1040, code: 'ER_CON_COUNT_ERROR' } : { code: 'SQLITE_BUSY' };
    jest
      .spyOn(application().app.get(DomainsService), 'findPage')
      .mockRejectedValue(Object.assign(new Error('database is locked'), refused));
    const response = await account.client.get(DOMAINS);
    expectErrors(response, { code: 'unavailable' });
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(response.text).not.toContain('locked');
  });
});

test.each([
  'BLAH\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /health/live HTTP/1.1\r\n\r\n',
  `GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
])('malformed HTTP gets an error in the same format', async (bytes) => {
  const socket = connect(application().port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  const answer = await text(socket);
  const [head, body] = answer.split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const status = Number(head.split(' ')[1]);
  const code = bytes.length > 16_384 ? 'payload_too_large' : 'malformed_request';
  expectErrors({ status, headers, text: body }, { code, source: bytes.startsWith('GET /health') ? 'header.Host' : undefined });
});

describe('the response is immediate', () => {
  const send = async (head: string) => {
    const socket = connect(application().port, '127.0.0.1');
    socket.write(`${head}\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString();
  };

  test('to a body declared too long, before it is sent', async () => {
    expect(await send('POST /api/domains HTTP/1.1\r\nContent-Length: 1000000000')).toContain('"code":"payload_too_large"');
  });

  test('to a compressed body', async () => {
    expect(await send('POST /api/domains HTTP/1.1\r\nContent-Length: 9\r\nContent-Encoding: gzip')).toContain(
      '"code":"unsupported_media_type"',
    );
  });

  test('to an unknown expectation', async () => {
    expect(await send('GET /api/domains HTTP/1.1\r\nExpect: foo')).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each(['http://', 'http://[/api/domains', '*'])('to the unroutable target %s', async (target) => {
    const answer = await send(`GET ${target} HTTP/1.1`);
    expect(answer).toMatch(/^HTTP\/1.1 404 .*X-Request-Id: .*"code":"not_found"/s);
  });

  test('to an HTTP/1.0 request, even without a Host', async () => {
    expect(await send('GET /api/domains HTTP/1.0')).toMatch(/^HTTP\/1.1 200 /);
    const socket = connect(application().port, '127.0.0.1');
    socket.write('GET /health/live HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*{"status":"ok"}$/s);
  });

  test.each(['0.9', '2.0'])('to a request of the unsupported HTTP/%s', async (version) => {
    const answer = await send(`GET /health/live HTTP/${version}`);
    expect(answer).toMatch(/^HTTP\/1.1 400 .*Connection: close.*"code":"malformed_request"/s);
  });

  test('to CONNECT, which asks for a tunnel', async () => {
    expect(await send('CONNECT elsewhere.example.com:443 HTTP/1.1')).toMatch(/^HTTP\/1.1 404 .*"code":"not_found"/s);
    expect(await send('CONNECT /api/domains HTTP/1.1')).toMatch(/^HTTP\/1.1 405 .*Allow: GET, HEAD, POST.*"code":"method_not_allowed"/s);
  });

  test('to a target with a scheme and host', async () => {
    expect(await send('GET http://elsewhere.example.com/api/domains HTTP/1.1')).toMatch(/^HTTP\/1.1 200 /);
  });
});

test('a CONNECT affects only its own connection, whether its client disconnects or stays', async () => {
  for (const end of ['reset', 'stay'] as const) {
    const socket = connect(application().port, '127.0.0.1').on('error', () => undefined);
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    if (end === 'reset') socket.resetAndDestroy();
    else expect(await text(socket)).toMatch(/^HTTP\/1\.1 40\d /); // and the other side is closed, though this one is not
  }
  await application().client().get('/health/live').expect(200);
});

test.each(['GET /health/live', 'GET /api/domains', 'CONNECT a:1'])(
  'a CONNECT that is pipelined after %s is answered after it',
  async (first) => {
    const socket = connect(application().port, '127.0.0.1');
    const line = (request: string) => `${request} HTTP/1.1\r\nHost: a:1\r\n\r\n`;
    socket.write(line(first) + line('CONNECT b:1'));
    const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    const expected = { 'GET /health/live': [200, 404], 'GET /api/domains': [401, 404], 'CONNECT a:1': [404] }[first]; // no request follows a CONNECT
    expect(statuses).toEqual(expected);
    await application().client().get('/health/live').expect(200);
  },
);

test('a client may leave while its CONNECT waits for an earlier response', async () => {
  for (let round = 0; round < 20; round++) {
    const socket = connect(application().port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /api/domains HTTP/1.1\r\nHost: a\r\n\r\nCONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    setImmediate(() => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  await application().client().get('/health/live').expect(200);
});

test('no header goes unseen behind many others', async () => {
  const many = 'A:\r\n'.repeat(1_100);
  const send = async (last: string) => {
    const socket = connect(application().port, '127.0.0.1');
    socket.write(`GET /health/live HTTP/1.1\r\nHost: x\r\n${many}${last}\r\nConnection: close\r\n\r\n`);
    return text(socket);
  };
  expect(await send('X-Last: 1')).toMatch(/^HTTP\/1.1 200 /);
  expect(await send('Host: y')).toMatch(/^HTTP\/1.1 400 .*"code":"malformed_request"/s);
});

describe('of pipelined requests', () => {
  /** Everything received in response to these bytes. */
  const answersTo = async (bytes: string) => {
    const socket = connect(application().port, '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  };
  const create = (host: string) => {
    const body = `host=${host}`;
    const head = `POST /api/domains HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}`;
    return `${head}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const hosts = async () => (await application().rows('domains')).map(({ host }) => host);

  test.each([
    ['two of a header', `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['version 0.9', 'GET /health/live HTTP/0.9\r\nHost: x\r\nConnection: keep-alive\r\n\r\n'],
    ['version 2.0', 'GET /health/live HTTP/2.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n'],
  ])('one with %s is refused, and those after it are not executed', async (_name, ambiguous) => {
    const answers = await answersTo(ambiguous + create('behind.example.com'));
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400']);
    expect(await hosts()).not.toContain('behind.example.com');
  });

  test('a valid one gets its own response, whatever follows it', async () => {
    const host = newHost();
    const answers = await answersTo(`${create(host)}GARBAGE\r\n\r\n`);
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 201']);
    expect(await hosts()).toContain(host);
  });
});
