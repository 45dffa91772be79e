/** @mysql whole */
import type { Response, Test } from 'supertest';
import type { TestAccount } from '../../support/http/application';
import { useApplication } from '../../support/http/application';
import { idOf } from '../../support/http/client';
import { expectErrors } from '../../support/http/errors';
import { sendRaw } from '../../support/http/raw-request';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';

type Fields = [name: string, value: string][];

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
const part = (name: string, value: string, rest = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${value}\r\n`;
const multipart = (...fields: Fields) => `${fields.map(([name, value]) => part(name, value)).join('')}--b--\r\n`;
const urlencoded = (fields: Fields) => new URLSearchParams(fields).toString();
const json = (fields: Fields) => JSON.stringify(Object.fromEntries(fields));

const FORMATS: [type: string, write: (fields: Fields) => string][] = [
  [MULTIPART, (fields) => multipart(...fields)],
  [URLENCODED, urlencoded],
  [JSON_TYPE, json],
];

/** Names that every object inherits, and the one that would let it pass some on. */
const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];

/** The record that a request created. */
async function createdBy(path: string, response: Response): Promise<Record<string, unknown>> {
  const read = await account.client.get(`${path}/${idOf(response)}`).expect(200);
  return (JSON.parse(read.text) as { data: Record<string, unknown> }).data;
}

describe('Content-Type', () => {
  test.each([...FORMATS, [`${URLENCODED}; charset=UTF-8`, urlencoded] as const, ['Application/JSON; charset="utf-8"', json] as const])(
    'accepts and validates a form of type %s',
    async (type, write) => {
      const fields = { host: newHost(), custom_index_url: 'https://example.com/a?b=1&c=ü' };
      const created = await postRaw(DOMAINS, type, write(Object.entries(fields))).expect(201);
      expect(await createdBy(DOMAINS, created)).toMatchObject(fields);
      expectErrors(
        await postRaw(DOMAINS, type, write(Object.entries({ host: 'x', colour: 'red' }))),
        { code: 'unknown_parameter', source: 'form.colour' },
        { code: 'invalid_parameter', source: 'form.host' },
      );
    },
  );

  test.each([
    'text/plain',
    'application/xml',
    'application/octet-stream',
    'multipart/mixed; boundary=b',
    'application/json; charset=latin1',
    'x',
    undefined,
  ])('returns 415 for a body of type %s', async (type) => {
    const headers = { Authorization: `Bearer ${account.key}`, ...(type && { 'Content-Type': type }) };
    const answer = await sendRaw(application().port, { method: 'POST', path: DOMAINS, headers, body: '{"host":"a.example.com"}' });
    expectErrors(answer, { code: 'unsupported_media_type', source: 'header.Content-Type' });
  });

  test('accepts at most 256 characters, and is ignored without a body', async () => {
    const typeOf = (length: number) => `multipart/form-data;${' '.repeat(length - 30)}boundary=b`;
    await postRaw(DOMAINS, typeOf(256), multipart(['host', newHost()])).expect(201);
    for (const length of [257, 10_000]) {
      const response = await postRaw(DOMAINS, typeOf(length), multipart(['host', newHost()]));
      expectErrors(response, { code: 'unsupported_media_type', source: 'header.Content-Type', detail: /256/ });
    }
    await account.client.get(DOMAINS).set('Content-Type', typeOf(257)).expect(200);
  });

  test.each([
    ['without a boundary', 'multipart/form-data', multipart(['host', 'a.example.com'])],
    ['with an empty boundary', 'multipart/form-data; boundary=', 'host=a.example.com'],
    ['with another boundary', 'multipart/form-data; boundary=c', multipart(['host', 'a.example.com'])],
    ['with a body that has no parts', MULTIPART, 'hello'],
  ])('rejects multipart/form-data %s and names the header to fix', async (_, type, body) => {
    expectErrors(await postRaw(DOMAINS, type, body), {
      code: 'malformed_request',
      source: 'header.Content-Type',
      detail:
        'Content-Type must name the boundary between the parts of the body: leave this header to the HTTP library, or add the boundary.',
    });
  });
});

describe('Content-Encoding', () => {
  const post = (encoding: string) => {
    const headers = { Authorization: `Bearer ${account.key}`, 'Content-Type': JSON_TYPE, 'Content-Encoding': encoding };
    return sendRaw(application().port, { method: 'POST', path: DOMAINS, headers, body: JSON.stringify({ host: newHost() }) });
  };

  test.each(['', ' ', 'identity', 'Identity'])('accepts the value %j', async (encoding) => {
    expect((await post(encoding)).status).toBe(201);
  });

  test.each(['utf-8', 'UTF-8', 'iso-8859-1', 'gzip', 'br', 'identity, gzip', 'aws-chunked'])('rejects %s with a 415', async (encoding) => {
    expectErrors(await post(encoding), {
      code: 'unsupported_media_type',
      source: 'header.Content-Encoding',
      detail: 'A body must not be compressed: leave Content-Encoding out; a charset belongs in Content-Type.',
    });
  });
});

test('treats a missing body as a form without fields', async () => {
  expectErrors(await account.client.send('POST', DOMAINS), { code: 'missing_parameter', source: 'form.host' });
  const id = await account.client.create(DOMAINS, { host: newHost() });
  await account.client.send('POST', `${DOMAINS}/${id}`).expect(200, `{"data":{"id":${id}}}`);
  await postRaw(`${DOMAINS}/${id}`, JSON_TYPE, '{}').expect(200);
});

test('does not read a body before authentication', async () => {
  const response = await application().client().send('POST', DOMAINS).set('Content-Type', 'text/plain').send('x'.repeat(70_000));
  expectErrors(response, { code: 'unauthenticated', source: 'header.Authorization' });
});

const PADDED = '--b \r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\nz\r\n--b--\r\n';

test.each<[name: string, type: string, body: string | Buffer]>([
  ['a missing end', MULTIPART, part('host', 'a.example.com')],
  ['half a part', MULTIPART, part('host', 'a.example.com').slice(0, 40)],
  ['a part without a name', MULTIPART, '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n'],
  ['a part without a disposition', MULTIPART, `--b\r\n\r\nx\r\n${multipart(['host', 'a.example.com'])}`],
  ['a part of another disposition', MULTIPART, `--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n${multipart()}`],
  ['an unterminated name', MULTIPART, `--b\r\nContent-Disposition: form-data; name="a\r\n\r\nx\r\n${multipart()}`],
  ['a file with an unterminated name', MULTIPART, `${part('\\', 'x', '; filename="a"')}${multipart()}`],
  ['a file after a padded boundary', MULTIPART, part('host', 'pad.example.com') + PADDED],
  ['a field after a padded boundary', MULTIPART, part('host', 'pad.example.com').replace('--b', '--b \t') + '--b--\r\n'],
  ['half a JSON object', JSON_TYPE, '{"host":'],
  ['a JSON array', JSON_TYPE, '["host"]'],
  ['JSON null', JSON_TYPE, 'null'],
  ['a JSON string', JSON_TYPE, '"host"'],
  ['a JSON number', JSON_TYPE, '7'],
  ['JSON that is not UTF-8', JSON_TYPE, Buffer.from('7b22686f7374223a22ff227d', 'hex')],
  ['an urlencoded body that is not UTF-8', URLENCODED, Buffer.from('686f73743dff', 'hex')],
])('rejects a malformed body: %s', async (_, type, body) => {
  expectErrors(await postRaw(DOMAINS, type, body), { code: 'malformed_request' });
});

test.each([
  ['host', 'a.example.com', '; filename="a.txt"'],
  ['host', '', '; filename="a.txt"'],
  ['host', 'a.example.com', '; filename="a.txt"\r\nContent-Type: text/plain'],
  ['host', 'a.example.com', "; filename*=UTF-8''a.txt"],
  ['host', 'a.example.com', '\r\nContent-Type: application/octet-stream'],
  ['host', '', '; filename=""\r\nContent-Type: application/octet-stream'],
  ['photo', 'x', '; filename="a.txt"'],
  ['a photo', 'x', '; filename="a.txt"'],
])('rejects a file in the field %j with content %j and header %j', async (name, content, rest) => {
  const file = part(name, content, rest);
  for (const body of [part('scheme', 'https://') + file, file + part('last', 'x', '; filename="b"') + part('scheme', 'https://')]) {
    expectErrors(await postRaw(DOMAINS, MULTIPART, `${body}--b--\r\n`), {
      code: 'malformed_request',
      source: `form.${name}`,
      detail:
        `${name === 'a photo' ? 'A name in this request' : name} may not be a file: send it as text, without a filename and not as ` +
        'application/octet-stream (curl: -F name=value or -F name=<file, not -F name=@file).',
    });
  }
});

describe('a field name', () => {
  test.each(['Host', 'host ', 'hosts', 'is_enabled', 'id', 'account_id', 'last_datetime', 'access_token', ...INHERITED])(
    'rejects the unknown name %j in every format',
    async (name) => {
      const fields = Object.entries({ host: newHost() }).concat([[name, '1']]);
      for (const [type, write] of FORMATS)
        expectErrors(await postRaw(DOMAINS, type, write(fields)), { code: 'unknown_parameter', source: `form.${name}` });
    },
  );

  test.each(['host[]', 'host[0]', 'host[a]', 'a[prototype]', '__proto__[a]', 'a[30000000]', 'a[b][c]', '[host]'])(
    'rejects brackets in the name %s',
    async (name) => {
      const answer = await postRaw(DOMAINS, MULTIPART, multipart(['scheme', 'https://'], [name, 'a.example.com']));
      expectErrors(answer, { code: 'unknown_parameter', source: `form.${name}`, detail: 'Field names must not contain brackets.' });
    },
  );

  test.each(FORMATS)('rejects an unknown name of 5,000 characters in %s', async (type, write) => {
    const name = 'n'.repeat(5_000);
    const body = write(Object.entries({ host: 'a.example.com', [name]: 'x' }));
    expectErrors(await postRaw(DOMAINS, type, body), { code: 'unknown_parameter', source: `form.${name}` });
  });
});

const NOT_SINGLE = 'host must be a single value, neither repeated nor an array.';
const LATIN1 = Buffer.from(multipart(['host', 'a\xff.example.com']), 'latin1');

describe('a value', () => {
  test.each<[name: string, type: string, body: string | Buffer, detail: string | RegExp]>([
    ['a repeated part', MULTIPART, multipart(['host', 'a.example.com'], ['host', 'b.example.com']), NOT_SINGLE],
    ['a part repeated with the same value', MULTIPART, multipart(['host', 'a.example.com'], ['host', 'a.example.com']), NOT_SINGLE],
    ['a repeated urlencoded field', URLENCODED, 'host=a.example.com&host=b.example.com', NOT_SINGLE],
    ['a JSON array of one string', JSON_TYPE, '{"host":["a.example.com"]}', NOT_SINGLE],
    ['a JSON array of one number', JSON_TYPE, '{"host":[1]}', NOT_SINGLE],
    ['an empty JSON array', JSON_TYPE, '{"host":[]}', NOT_SINGLE],
    ['a JSON object', JSON_TYPE, '{"host":{"a":"b"}}', /^host must be text, not an object/],
    ['JSON null', JSON_TYPE, '{"host":null}', /^host must be text, not null/],
    ['an infinite JSON number', JSON_TYPE, '{"host":1e400}', /^host must be text, not a number too large/],
    ['a JSON number that loses digits', JSON_TYPE, '{"host":12345678901234567890}', /^host must be text, not a number too large/],
    ['a JSON number', JSON_TYPE, '{"host":7}', /^host must be a host name/],
    ['a JSON boolean', JSON_TYPE, '{"host":true}', /^host must be a host name/],
    ['a byte that is not UTF-8', URLENCODED, 'host=%ff.example.com', /UTF-8/],
    ['two bytes that are not UTF-8', URLENCODED, 'host=%c3%28.example.com', /UTF-8/],
    ['a part that is not UTF-8', MULTIPART, LATIN1, /UTF-8/],
    ['a part in an unknown charset', MULTIPART, part('host', 'a', '\r\nContent-Type: text/plain; charset=foo') + '--b--\r\n', /UTF-8/],
    ['a null character', MULTIPART, multipart(['host', '\u0000a.example.com']), /^host must be a host name/],
  ])('rejects %s as a value', async (_, type, body, detail) => {
    expectErrors(await postRaw(DOMAINS, type, body), { code: 'invalid_parameter', source: 'form.host', detail });
  });

  test('is trimmed, and counts as missing when blank', async () => {
    const host = newHost();
    const created = await account.client.post(DOMAINS, { host: ` \t${host}\n `, custom_index_url: '  ' }).expect(201);
    expect(await createdBy(DOMAINS, created)).toMatchObject({ host, custom_index_url: '' });
    for (const blank of ['', '   ', '\n']) {
      expectErrors(await account.client.post(DOMAINS, { host: blank }), { code: 'missing_parameter', source: 'form.host' });
    }
    expectErrors(
      await account.client.post(HANDLERS, { name: ' ', type: '' }),
      { code: 'missing_parameter', source: 'form.name' },
      { code: 'missing_parameter', source: 'form.type' },
    );
  });

  test('may have 128 characters, counted in code points', async () => {
    const name = '💈'.repeat(128);
    const created = await account.client.post(HANDLERS, { name, type: 'email' }).expect(201);
    expect(await createdBy(HANDLERS, created)).toMatchObject({ name });
    expectErrors(await account.client.post(HANDLERS, { name: `${name}x`, type: 'email' }), {
      code: 'invalid_parameter',
      source: 'form.name',
    });
  });
});

describe('the size limits', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index): [string, string] => [`field${index}`, '1']);

  test.each(FORMATS)('%s may have 16 fields', async (type, write) => {
    expect((await postRaw(DOMAINS, type, write(fields(16)))).status).toBe(400);
    expectErrors(await postRaw(DOMAINS, type, write(fields(17))), { code: 'payload_too_large' });
  });

  test.each([
    [URLENCODED, Array<string>(17).fill('host=a.example.com').join('&')],
    [MULTIPART, multipart(...Array<[string, string]>(17).fill(['host', 'a.example.com']))],
  ])('%s may not repeat one name 17 times', async (type, body) => {
    expectErrors(await postRaw(DOMAINS, type, body), { code: 'payload_too_large' });
  });

  test('empty pairs between ampersands do not count as fields', async () => {
    const host = newHost();
    await postRaw(DOMAINS, URLENCODED, `${'&'.repeat(40)}host=${host}&&&&&`).expect(201);
    const hidden = `${'&'.repeat(17)}host=${newHost()}${'&'.repeat(17)}nonsense=1&`;
    expectErrors(await postRaw(DOMAINS, URLENCODED, hidden), { code: 'unknown_parameter', source: 'form.nonsense' });
    const many = `&${urlencoded(fields(17)).replaceAll('&', '&&')}`;
    expectErrors(await postRaw(DOMAINS, URLENCODED, many), { code: 'payload_too_large' });
  });

  test.each(FORMATS)('%s may have values of 8 KiB, counted in bytes', async (type, write) => {
    const send = (value: string) => postRaw(DOMAINS, type, write([['custom_index_url', value]]));
    expectErrors(
      await send(`https://example.com/${'a'.repeat(8_172)}`),
      { code: 'missing_parameter', source: 'form.host' },
      { code: 'invalid_parameter', source: 'form.custom_index_url' },
    );
    for (const value of [`https://example.com/${'a'.repeat(8_173)}`, 'é'.repeat(4_097)]) {
      expectErrors(await send(value), { code: 'payload_too_large', detail: 'A value may have at most 8192 bytes.' });
    }
  });

  test.each(FORMATS)('%s may have a body of 64 KiB', async (type) => {
    const tooLarge = { code: 'payload_too_large', detail: 'A body may have at most 65536 bytes.' } as const;
    expectErrors(await postRaw(DOMAINS, type, 'x'.repeat(65_537)), tooLarge);
    expect((await postRaw(DOMAINS, type, 'x'.repeat(65_536))).text).not.toContain(tooLarge.detail);
  });
});

describe('invisible characters', () => {
  const INVISIBLE = [0x200b, 0xfeff, 0x2060, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
  const around = (text: string) =>
    INVISIBLE.map((code) => String.fromCodePoint(code)).reduce((inner, one) => `${one} ${inner}${one}`, text);

  test.each(FORMATS)('are trimmed from both ends of a value in %s', async (type, write) => {
    const domain = { host: newHost(), custom_index_url: 'https://example.com/a' };
    const handler = { name: 'Night shift', type: 'email', email: 'ops@example.com' };
    const padded = (values: object) => Object.entries(values).map(([name, value]): [string, string] => [name, around(String(value))]);
    const created = await postRaw(HANDLERS, type, write(padded(handler))).expect(201);
    expect(await createdBy(HANDLERS, created)).toMatchObject({ name: handler.name, settings: { email: handler.email } });
    expect(await createdBy(DOMAINS, await postRaw(DOMAINS, type, write(padded(domain))).expect(201))).toMatchObject(domain);
    expectErrors(await postRaw(DOMAINS, type, write([['host', around('')]])), { code: 'missing_parameter', source: 'form.host' });
  });

  test.each([
    ['email', 'email'],
    ['webhook', 'https://example.com/a'],
    ['telegram_chat_id', '@desk'],
    ['whatsapp', '+442079460958'],
  ])('are rejected by their code point within %s', async (field, value) => {
    const type = field.replace('_chat_id', '');
    for (const code of [...INVISIBLE, 0x200e, 0xad]) {
      const character = String.fromCodePoint(code);
      const given = value === 'email' ? `op${character}s@example.com` : `${value.slice(0, -1)}${character}${value.slice(-1)}`;
      const detail = `${field} holds an invisible character, U+${code.toString(16).toUpperCase().padStart(4, '0')}.`;
      const answer = await account.client.post(HANDLERS, { name: 'x', type, [field]: given });
      expectErrors(answer, { code: 'invalid_parameter', source: `form.${field}`, detail });
    }
  });

  test('are kept within names, and joiners within URLs', async () => {
    const name = 'a\u200bb \u2067c\u2069 d \u{1f469}\u200d\u{1f4bb}';
    const webhook = 'https://example.com/\u{1f469}\u200d\u{1f4bb}';
    const created = await account.client.post(HANDLERS, { name, type: 'webhook', webhook }).expect(201);
    expect(await createdBy(HANDLERS, created)).toMatchObject({ name, settings: { webhook } });
  });

  test('are not reported for a value that is invalid without them', async () => {
    const answer = await account.client.post(DOMAINS, { host: 'no\u200bhost' });
    expectErrors(answer, { code: 'invalid_parameter', source: 'form.host', detail: /^host must be a host name/ });
  });
});

describe('Content-Transfer-Encoding of a part', () => {
  const encoded = (name: string, encoding: string, value: string) =>
    part(name, value, `\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: ${encoding}`) + '--b--\r\n';
  const post = (encoding: string, value: string) => postRaw(HANDLERS, MULTIPART, part('type', 'email') + encoded('name', encoding, value));

  test.each([
    ['base64', 'UmVjZXDDp8Ojbw==', 'Recepção'],
    ['BASE64', 'UmVj\r\nZXDD\r\np8Ojbw==\r\n', 'Recepção'],
    ['quoted-printable', 'Recep=C3=A7=C3=A3o', 'Recepção'],
    ['Quoted-Printable', 'Recep=c3=a7=\r\n=C3=A3o', 'Recepção'],
    ['quoted-printable', 'Recepção', 'Recepção'],
    ['quoted-printable', '100%41 + 1=3D2 =25', '100%41 + 1=2 %'],
    ['8bit', 'Recepção', 'Recepção'],
    ['7bit', '=?UTF-8?Q?Recep=C3=A7=C3=A3o?=', '=?UTF-8?Q?Recep=C3=A7=C3=A3o?='],
    ['binary', 'Recep=C3=A7=C3=A3o', 'Recep=C3=A7=C3=A3o'],
  ])('%s: reads %j as %j', async (encoding, value, name) => {
    expect(await createdBy(HANDLERS, await post(encoding, value).expect(201))).toMatchObject({ name });
  });

  test.each([
    ['base64', '/w=='],
    ['quoted-printable', 'a=FFb'],
  ])('%s: rejects %j, which is not UTF-8', async (encoding, value) => {
    expectErrors(await post(encoding, value), { code: 'invalid_parameter', source: 'form.name', detail: /valid UTF-8/ });
  });

  test('limits the decoded value to 8 KiB', async () => {
    const url = (bytes: number) => Buffer.from(`https://example.com/${'a'.repeat(bytes - 20)}`).toString('base64');
    const send = (bytes: number) =>
      postRaw(DOMAINS, MULTIPART, part('host', newHost()) + encoded('custom_index_url', 'base64', url(bytes)));
    await send(2_048).expect(201);
    expectErrors(await send(8_192), { code: 'invalid_parameter', source: 'form.custom_index_url' });
    expectErrors(await send(8_193), { code: 'payload_too_large', detail: /8192 bytes/ });
  });
});
