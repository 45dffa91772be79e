/** @mysql whole */
import { gzipSync } from 'node:zlib';
import type { Test } from 'supertest';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
import { expectErrors } from '../../support/http/errors';
import { sendRaw } from '../../support/http/raw-request';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

/** Sends these bytes as a body of this type. */
function postRaw(path: string, type: string, body: string | Buffer): Test {
  return account.client
    .send('POST', path)
    .set('Content-Type', type)
    .serialize((bytes: string) => bytes)
    .send(body as string);
}

const MULTIPART = 'multipart/form-data; boundary=b';
const JSON_TYPE = 'application/json';
const URLENCODED = 'application/x-www-form-urlencoded';
const part = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const multipart = (...fields: [string, string][]) => `${fields.map(([name, value]) => part(name, value)).join('')}--b--\r\n`;

/** Names that an object has without having been given them, and the one by which it would pass some on. */
const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];

async function domainOf(response: { text: string }): Promise<{ host: string; custom_index_url: string }> {
  const { data } = JSON.parse(response.text) as { data: { id: number } };
  const read = await account.client.get(`${DOMAINS}/${data.id}`);
  return (JSON.parse(read.text) as { data: { host: string; custom_index_url: string } }).data;
}

describe('the three content types are equivalent', () => {
  const fields = (host: string): [string, string][] => [
    ['host', host],
    ['custom_index_url', 'https://example.com/a?b=1&c=ü'],
  ];
  const bodies: [string, (entries: [string, string][]) => string][] = [
    [MULTIPART, (entries) => multipart(...entries)],
    [URLENCODED, (entries) => new URLSearchParams(entries).toString()],
    [`${URLENCODED}; charset=UTF-8`, (entries) => new URLSearchParams(entries).toString()],
    [JSON_TYPE, (entries) => JSON.stringify(Object.fromEntries(entries))],
    ['Application/JSON; charset="utf-8"', (entries) => JSON.stringify(Object.fromEntries(entries))],
  ];

  test.each(bodies)('%s', async (type, write) => {
    const host = newHost();
    const created = await postRaw(DOMAINS, type, write(fields(host)));
    expect(created.status).toBe(201);
    expect(await domainOf(created)).toMatchObject({ host, custom_index_url: 'https://example.com/a?b=1&c=ü' });
  });

  test.each(bodies)('%s, when invalid', async (type, write) => {
    const wrong = write([
      ['host', 'x'],
      ['colour', 'red'],
    ]);
    expectErrors(
      await postRaw(DOMAINS, type, wrong),
      { code: 'unknown_parameter', source: 'form.colour' },
      { code: 'invalid_parameter', source: 'form.host' },
    );
  });
});

test.each([
  'text/plain',
  'application/xml',
  'application/octet-stream',
  'multipart/mixed; boundary=b',
  'application/json; charset=latin1',
  'x',
])('a body of the type %s is a 415', async (type) => {
  expectErrors(await postRaw(DOMAINS, type, '{"host":"a.example.com"}'), {
    code: 'unsupported_media_type',
    source: 'header.Content-Type',
  });
});

test('a Content-Type may have 256 characters, however short its boundary, but no more', async () => {
  const typeOf = (length: number) => `multipart/form-data;${' '.repeat(length - 30)}boundary=b`;
  await postRaw(DOMAINS, typeOf(256), multipart(['host', newHost()])).expect(201);
  for (const length of [257, 10_000]) {
    const response = await postRaw(DOMAINS, typeOf(length), multipart(['host', newHost()]));
    expectErrors(response, { code: 'unsupported_media_type', source: 'header.Content-Type', detail: /256/ });
  }
  await account.client.get(DOMAINS).set('Content-Type', typeOf(257)).expect(200); // without a body, nothing reads it
});

test('a body without a type is a 415, a compressed one, too', async () => {
  const headers = { Authorization: `Bearer ${account.key}` };
  const untyped = await sendRaw(application().port, { method: 'POST', path: DOMAINS, headers, body: 'host=a.example.com' });
  expectErrors(untyped, { code: 'unsupported_media_type', source: 'header.Content-Type' });

  const compressed = postRaw(DOMAINS, JSON_TYPE, gzipSync('{"host":"a.example.com"}')).set('Content-Encoding', 'gzip');
  expectErrors(await compressed, { code: 'unsupported_media_type', source: 'header.Content-Encoding' });
});

test('a Content-Encoding that is no encoding is none, and a charset in it is told where it belongs', async () => {
  const post = (encoding: string) => {
    const headers = { Authorization: `Bearer ${account.key}`, 'Content-Type': JSON_TYPE, 'Content-Encoding': encoding };
    return sendRaw(application().port, { method: 'POST', path: DOMAINS, headers, body: JSON.stringify({ host: newHost() }) });
  };
  for (const encoding of ['', ' ', 'identity', 'Identity']) expect((await post(encoding)).status).toBe(201);
  for (const encoding of ['utf-8', 'UTF-8', 'iso-8859-1', 'gzip', 'br', 'identity, gzip', 'aws-chunked']) {
    expectErrors(await post(encoding), {
      code: 'unsupported_media_type',
      source: 'header.Content-Encoding',
      detail: 'A body must not be compressed: leave Content-Encoding out; a charset belongs in Content-Type.',
    });
  }
});

test.each([
  ['no boundary', 'multipart/form-data', multipart(['host', 'a.example.com'])],
  ['an empty boundary', 'multipart/form-data; boundary=', 'host=a.example.com'],
  ['another boundary', 'multipart/form-data; boundary=c', multipart(['host', 'a.example.com'])],
  ['text that is no form', MULTIPART, 'hello'],
])('%s: the Content-Type was written by hand, and is to be left to the library', async (_, type, body) => {
  expectErrors(await postRaw(DOMAINS, type, body), {
    code: 'malformed_request',
    source: 'header.Content-Type',
    detail:
      'Content-Type must name the boundary between the parts of the body: leave this header to the HTTP library, or add the boundary.',
  });
});

test('a missing body is a form without fields', async () => {
  expectErrors(await account.client.send('POST', DOMAINS), { code: 'missing_parameter', source: 'form.host' });
  const id = await account.client.create(DOMAINS, { host: newHost() });
  await account.client.send('POST', `${DOMAINS}/${id}`).expect(200, `{"data":{"id":${id}}}`);
  await postRaw(`${DOMAINS}/${id}`, JSON_TYPE, '{}').expect(200);
});

describe('a body that can’t be parsed', () => {
  const broken: [string, string, string | Buffer][] = [
    ['an end that is missing', MULTIPART, part('host', 'a.example.com')],
    ['half a part', MULTIPART, part('host', 'a.example.com').slice(0, 40)],
    ['a part without a name', MULTIPART, '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n'],
    ['a part without a disposition', MULTIPART, `--b\r\n\r\nx\r\n${multipart(['host', 'a.example.com'])}`],
    ['a part of another disposition', MULTIPART, `--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n${multipart()}`],
    ['a name that does not end', MULTIPART, `--b\r\nContent-Disposition: form-data; name="a\r\n\r\nx\r\n${multipart()}`],
    ['a file behind such a name', MULTIPART, `--b\r\nContent-Disposition: form-data; name="\\"; filename="a"\r\n\r\nx\r\n${multipart()}`],
    [
      'a file behind a padded boundary',
      MULTIPART,
      `${part('host', 'pad.example.com')}--b \r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\nz\r\n--b--\r\n`,
    ],
    ['a field behind a padded boundary', MULTIPART, part('host', 'pad.example.com').replace('--b', '--b \t') + '--b--\r\n'],
    ['half an object', JSON_TYPE, '{"host":'],
    ['a list', JSON_TYPE, '["host"]'],
    ['null', JSON_TYPE, 'null'],
    ['a text', JSON_TYPE, '"host"'],
    ['a number', JSON_TYPE, '7'],
    ['bytes that are not UTF-8 in JSON', JSON_TYPE, Buffer.from('7b22686f7374223a22ff227d', 'hex')],
    ['bytes that are not UTF-8 in a form', URLENCODED, Buffer.from('686f73743dff', 'hex')],
  ];

  test.each(broken)('%s', async (_, type, body) => {
    expectErrors(await postRaw(DOMAINS, type, body), { code: 'malformed_request' });
  });

  const file = (name: string, content: string, rest: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${content}\r\n`;
  const NO_FILE =
    'may not be a file: send it as text, without a filename and not as application/octet-stream ' +
    '(curl: -F name=value or -F name=<file, not -F name=@file).';

  test.each([
    ['host', 'a.example.com', '; filename="a.txt"'],
    ['host', '', '; filename="a.txt"'],
    ['host', 'a.example.com', '; filename="a.txt"\r\nContent-Type: text/plain'],
    ['host', 'a.example.com', "; filename*=UTF-8''a.txt"],
    ['host', 'a.example.com', '\r\nContent-Type: application/octet-stream'],
    ['host', '', '; filename=""\r\nContent-Type: application/octet-stream'],
    ['photo', 'x', '; filename="a.txt"'],
    ['a photo', 'x', '; filename="a.txt"'],
  ])('a file, under a known name or another, empty or not: %j %j %j', async (name, content, rest) => {
    for (const [before, after] of [
      [part('scheme', 'https://'), ''],
      ['', file('last', 'x', '; filename="b"') + part('scheme', 'https://')],
    ]) {
      const response = await postRaw(DOMAINS, MULTIPART, `${before}${file(name, content, rest)}${after}--b--\r\n`);
      const detail = `${name === 'a photo' ? 'A name in this request' : name} ${NO_FILE}`;
      expectErrors(response, { code: 'malformed_request', source: `form.${name}`, detail });
    }
  });
});

describe('a field', () => {
  test.each([
    [MULTIPART, multipart(['host', 'a.example.com'], ['host', 'b.example.com'])],
    [MULTIPART, multipart(['host', 'a.example.com'], ['host', 'a.example.com'])],
    [URLENCODED, 'host=a.example.com&host=b.example.com'],
    [JSON_TYPE, '{"host":["a.example.com"]}'],
    [JSON_TYPE, '{"host":{"a":"b"}}'],
    [JSON_TYPE, '{"host":7}'],
    [JSON_TYPE, '{"host":true}'],
    [URLENCODED, 'host=%ff.example.com'],
    [URLENCODED, 'host=%c3%28.example.com'],
    [MULTIPART, multipart(['host', '\u0000a.example.com'])],
  ])('that is repeated, not text, or not UTF-8 is refused: %s %j', async (type, body) => {
    expectErrors(await postRaw(DOMAINS, type, body), { code: 'invalid_parameter', source: 'form.host' });
  });

  test('that is not UTF-8 is refused in multipart, too', async () => {
    const body = Buffer.concat([
      Buffer.from(part('host', 'a').slice(0, -2)),
      Buffer.from([0xff]),
      Buffer.from('.example.com\r\n--b--\r\n'),
    ]);
    expectErrors(await postRaw(DOMAINS, MULTIPART, body), { code: 'invalid_parameter', source: 'form.host' });
  });

  test('that is null in JSON is not text', async () => {
    expectErrors(await postRaw(DOMAINS, JSON_TYPE, '{"host":null}'), { code: 'invalid_parameter', source: 'form.host' });
  });

  test.each(['Host', 'host ', 'hosts', 'is_enabled', 'id', 'account_id', 'last_datetime', 'access_token', ...INHERITED])(
    'named %j is unknown',
    async (name) => {
      const fields: [string, string][] = [
        ['host', newHost()],
        [name, '1'],
      ];
      for (const [type, body] of [
        [MULTIPART, multipart(...fields)],
        [URLENCODED, new URLSearchParams(fields).toString()],
        [JSON_TYPE, JSON.stringify(Object.fromEntries(fields))],
      ])
        // prettier-ignore
        expectErrors(await postRaw(DOMAINS, type, body), { code: 'unknown_parameter', source: `form.${name}` });
    },
  );

  test.each(['host[]', 'host[0]', 'host[a]', 'a[prototype]', '__proto__[a]', 'a[30000000]', 'a[b][c]', '[host]'])(
    'named %s is unknown, and no path into an array or object that would have to be made',
    async (name) => {
      const answer = await postRaw(DOMAINS, MULTIPART, multipart(['scheme', 'https://'], [name, 'a.example.com']));
      expectErrors(answer, { code: 'unknown_parameter', source: `form.${name}`, detail: 'Field names must not contain brackets.' });
    },
  );

  test('is trimmed', async () => {
    const host = newHost();
    const created = await account.client.post(DOMAINS, { host: ` \t${host}\n `, custom_index_url: '  ' }).expect(201);
    expect(await domainOf(created)).toMatchObject({ host, custom_index_url: '' });
  });

  test('counts as missing when blank on create', async () => {
    for (const host of ['', '   ', '\n']) {
      expectErrors(await account.client.post(DOMAINS, { host }), { code: 'missing_parameter', source: 'form.host' });
    }
    expectErrors(
      await account.client.post(HANDLERS, { name: ' ', type: '' }),
      { code: 'missing_parameter', source: 'form.name' },
      { code: 'missing_parameter', source: 'form.type' },
    );
  });
});

describe('the limits', () => {
  const bodies: [string, (fields: [string, string][]) => string][] = [
    [MULTIPART, (fields) => multipart(...fields)],
    [URLENCODED, (fields) => new URLSearchParams(fields).toString()],
    [JSON_TYPE, (fields) => JSON.stringify(Object.fromEntries(fields))],
  ];
  const fields = (count: number) => Array.from({ length: count }, (_, index): [string, string] => [`field${index}`, '1']);

  test.each(bodies)('%s: 16 fields', async (type, write) => {
    expect((await postRaw(DOMAINS, type, write(fields(16)))).status).toBe(400);
    expectErrors(await postRaw(DOMAINS, type, write(fields(17))), { code: 'payload_too_large' });
  });

  test.each(bodies)('%s: 8 KiB per value', async (type, write) => {
    const of = (bytes: number): [string, string][] => [['custom_index_url', `https://example.com/${'a'.repeat(bytes - 20)}`]];
    expectErrors(
      await postRaw(DOMAINS, type, write(of(8192))),
      { code: 'missing_parameter', source: 'form.host' },
      { code: 'invalid_parameter', source: 'form.custom_index_url' },
    );
    expectErrors(await postRaw(DOMAINS, type, write(of(8193))), { code: 'payload_too_large' });
  });

  test.each(bodies)('%s: 8 KiB per value, counted in bytes', async (type, write) => {
    expectErrors(await postRaw(DOMAINS, type, write([['custom_index_url', 'é'.repeat(4097)]])), { code: 'payload_too_large' });
  });

  test.each([MULTIPART, URLENCODED, JSON_TYPE])('%s: 64 KiB per body', async (type) => {
    expectErrors(await postRaw(DOMAINS, type, 'x'.repeat(65_537)), { code: 'payload_too_large' });
    expect((await postRaw(DOMAINS, type, 'x'.repeat(65_536))).text).not.toContain('at most 65536 bytes');
  });

  test('a body is not read before authentication', async () => {
    const response = await application().client().send('POST', DOMAINS).set('Content-Type', 'text/plain').send('x'.repeat(70_000));
    expectErrors(response, { code: 'unauthenticated', source: 'header.Authorization' });
  });
});

test('empty pairs between ampersands are ignored and displace no field', async () => {
  const host = newHost();
  await postRaw(DOMAINS, URLENCODED, `${'&'.repeat(40)}host=${host}&&&&&`).expect(201);
  const hidden = `${'&'.repeat(17)}host=${newHost()}${'&'.repeat(17)}nonsense=1&`;
  expectErrors(await postRaw(DOMAINS, URLENCODED, hidden), { code: 'unknown_parameter', source: 'form.nonsense' });
  const many = `&${Array.from({ length: 17 }, (_, index) => `field${index}=1`).join('&&')}`;
  expectErrors(await postRaw(DOMAINS, URLENCODED, many), { code: 'payload_too_large' });
});

test.each([
  [MULTIPART, multipart(['host', 'a.example.com'], ['n'.repeat(5_000), 'x'])],
  [URLENCODED, `host=a.example.com&${'n'.repeat(5_000)}=x`],
  [JSON_TYPE, JSON.stringify({ host: 'a.example.com', ['n'.repeat(5_000)]: 'x' })],
])('%s: a name of any length is unknown', async (type, body) => {
  expectErrors(await postRaw(DOMAINS, type, body), { code: 'unknown_parameter', source: `form.${'n'.repeat(5_000)}` });
});

test('a value in an unknown charset is not text, and has no other error', async () => {
  const body =
    '--b\r\nContent-Disposition: form-data; name="host"\r\nContent-Type: text/plain; charset=foo\r\n\r\na.example.com\r\n--b--\r\n';
  expectErrors(await postRaw(DOMAINS, MULTIPART, body), { code: 'invalid_parameter', source: 'form.host' });
});

test('lengths are counted in code points', async () => {
  const name = '💈'.repeat(128);
  const id = await account.client.create(HANDLERS, { name, type: 'email' });
  expect((await account.client.get(`${HANDLERS}/${id}`)).body.data.name).toBe(name);
  expectErrors(await account.client.post(HANDLERS, { name: `${name}x`, type: 'email' }), {
    code: 'invalid_parameter',
    source: 'form.name',
  });
});

test('a JSON number that loses digits is refused', async () => {
  for (const number of ['1e400', '12345678901234567890']) {
    const response = await postRaw(HANDLERS, JSON_TYPE, `{"type":"email","name":${number}}`);
    expectErrors(response, { code: 'invalid_parameter', source: 'form.name' });
  }
});

test.each([
  ['null', 'not null'],
  ['{"a":1}', 'not an object'],
  ['1e400', 'not a number too large'],
])('the JSON value %s is refused by its type', async (value, detail) => {
  const response = await postRaw(HANDLERS, JSON_TYPE, `{"type":"email","name":${value}}`);
  expectErrors(response, { code: 'invalid_parameter', source: 'form.name', detail: new RegExp(`^name must be text, ${detail}`) });
});

test.each([
  [URLENCODED, Array<string>(17).fill('host=a.example.com').join('&')],
  [MULTIPART, multipart(...Array<[string, string]>(17).fill(['host', 'a.example.com']))],
])('%s: seventeen fields of one name are too many', async (type, body) => {
  expectErrors(await postRaw(DOMAINS, type, body), { code: 'payload_too_large' });
});

describe('invisible characters', () => {
  const INVISIBLE = [0x200b, 0xfeff, 0x2060, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
  const around = (text: string) =>
    INVISIBLE.map((code) => String.fromCodePoint(code)).reduce((inner, one) => `${one} ${inner}${one}`, text);
  const handlerOf = (id: number) => account.client.get(`${HANDLERS}/${id}`).then(({ body }) => (body as { data: object }).data);
  const bodies: [string, (fields: [string, string][]) => string][] = [
    [MULTIPART, (fields) => multipart(...fields)],
    [URLENCODED, (fields) => new URLSearchParams(fields).toString()],
    [JSON_TYPE, (fields) => JSON.stringify(Object.fromEntries(fields))],
  ];

  test.each(bodies)('%s: are trimmed at the ends of every value', async (type, write) => {
    const fields = { name: 'Night shift', type: 'email', email: 'ops@example.com' };
    const padded = Object.entries(fields).map(([name, value]): [string, string] => [name, around(value)]);
    const { body } = await postRaw(HANDLERS, type, write(padded)).expect(201);
    expect(await handlerOf((body as { data: { id: number } }).data.id)).toMatchObject({
      name: 'Night shift',
      settings: { email: 'ops@example.com' },
    });
    const host = newHost();
    const url = 'https://example.com/a';
    const created = await postRaw(DOMAINS, type, write([['host', around(host)], ['custom_index_url', around(url)]])).expect(201); // prettier-ignore
    expect(await domainOf(created)).toMatchObject({ host, custom_index_url: url });
    expectErrors(await postRaw(DOMAINS, type, write([['host', around('')]])), { code: 'missing_parameter', source: 'form.host' });
  });

  test.each([
    ['email', 'email'],
    ['webhook', 'https://example.com/a'],
    ['telegram_chat_id', '@desk'],
    ['whatsapp', '+442079460958'],
  ])('within %s are refused by name', async (field, value) => {
    const type = field.replace('_chat_id', '');
    for (const code of [...INVISIBLE, 0x200e, 0xad]) {
      const character = String.fromCodePoint(code);
      const given = value === 'email' ? `op${character}s@example.com` : `${value.slice(0, -1)}${character}${value.slice(-1)}`;
      const first = [...given].find((one) => /\p{Cf}/u.test(one))!.codePointAt(0)!;
      const detail = `${field} holds an invisible character, U+${first.toString(16).toUpperCase().padStart(4, '0')}.`;
      const answer = await account.client.post(HANDLERS, { name: 'x', type, [field]: given });
      expectErrors(answer, { code: 'invalid_parameter', source: `form.${field}`, detail });
    }
  });

  test('stay within texts for people, and joiners within a URL', async () => {
    const name = 'a\u200bb \u2067c\u2069 d \u{1f469}\u200d\u{1f4bb}';
    const webhook = 'https://example.com/\u{1f469}\u200d\u{1f4bb}';
    const id = await account.client.create(HANDLERS, { name, type: 'webhook', webhook });
    expect(await handlerOf(id)).toMatchObject({ name, settings: { webhook } });
  });

  test('a value with another fault is told that one', async () => {
    const answer = await account.client.post(DOMAINS, { host: 'no\u200bhost' });
    expectErrors(answer, { code: 'invalid_parameter', source: 'form.host', detail: /^host must be a host name/ });
  });
});

test('an array in JSON, and a repeated name, is told to be no single value', async () => {
  for (const [type, body] of [
    [JSON_TYPE, '{"host":["a.example.com"]}'],
    [JSON_TYPE, '{"host":[1]}'],
    [JSON_TYPE, '{"host":[]}'],
    [URLENCODED, 'host=a.example.com&host=b.example.com'],
  ]) {
    const detail = 'host must be a single value, neither repeated nor an array.';
    expectErrors(await postRaw(DOMAINS, type, body), { code: 'invalid_parameter', source: 'form.host', detail });
  }
});

describe('a part with a Content-Transfer-Encoding', () => {
  const encoded = (name: string, encoding: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain; charset=UTF-8\r\n` +
    `Content-Transfer-Encoding: ${encoding}\r\n\r\n${value}\r\n--b--\r\n`;
  const post = (encoding: string, value: string) => postRaw(HANDLERS, MULTIPART, part('type', 'email') + encoded('name', encoding, value));

  test.each([
    ['base64', 'UmVjZXDDp8Ojbw=='],
    ['BASE64', 'UmVj\r\nZXDD\r\np8Ojbw==\r\n'],
    ['quoted-printable', 'Recep=C3=A7=C3=A3o'],
    ['Quoted-Printable', 'Recep=c3=a7=\r\n=C3=A3o'],
    ['quoted-printable', 'Recepção'],
    ['8bit', 'Recepção'],
    ['7bit', '=?UTF-8?Q?Recep=C3=A7=C3=A3o?='],
    ['binary', 'Recep=C3=A7=C3=A3o'],
  ])('%s: %j is decoded', async (encoding, value) => {
    const { body } = await post(encoding, value).expect(201);
    const { data } = (await account.client.get(`${HANDLERS}/${(body as { data: { id: number } }).data.id}`)).body as {
      data: { name: string };
    };
    expect(data.name).toBe(/base64|quoted/i.test(encoding) ? 'Recepção' : value);
  });

  test('keeps its percent signs and plus signs', async () => {
    const { body } = await post('quoted-printable', '100%41 + 1=3D2 =25').expect(201);
    const { data } = (await account.client.get(`${HANDLERS}/${(body as { data: { id: number } }).data.id}`)).body as {
      data: { name: string };
    };
    expect(data.name).toBe('100%41 + 1=2 %');
  });

  test('that does not hold UTF-8 is not text', async () => {
    for (const [encoding, value] of [
      ['base64', '/w=='],
      ['quoted-printable', 'a=FFb'],
    ])
      // prettier-ignore
      expectErrors(await post(encoding, value), { code: 'invalid_parameter', source: 'form.name', detail: /valid UTF-8/ });
  });

  test('may have 8 KiB once it is decoded', async () => {
    const url = (bytes: number) => Buffer.from(`https://example.com/${'a'.repeat(bytes - 20)}`).toString('base64');
    const send = (bytes: number) =>
      postRaw(DOMAINS, MULTIPART, part('host', newHost()) + encoded('custom_index_url', 'base64', url(bytes)));
    await send(2_048).expect(201);
    expectErrors(await send(8_192), { code: 'invalid_parameter', source: 'form.custom_index_url' });
    expectErrors(await send(8_193), { code: 'payload_too_large', detail: /8192 bytes/ });
  });
});
