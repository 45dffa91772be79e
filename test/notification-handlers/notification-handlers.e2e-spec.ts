/** @mysql whole */
import { MASK } from '../../src/notification-handlers/channel-settings';
import { DeliveryTargets } from '../../src/notification-handlers/delivery-targets';
import { EnabledHandlers } from '../../src/notification-handlers/enabled-handlers';
import { Dialect } from '../../src/platform/database/dialect';
import { PUBLIC_URL, type TestAccount, type TestApplication, useApplication, withApplication } from '../support/http/application';
import { type Client, idOf } from '../support/http/client';
import { holdClock } from '../support/jest/clock';
import { type ExpectedError, expectErrors, readErrors, withoutRequestId } from '../support/http/errors';
import { HANDLERS, HANDLERS_READ } from '../support/areas/records';

const { application, database } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

interface HandlerBody {
  id: number;
  type: string;
  name: string;
  settings: Record<string, string>;
  is_enabled: boolean;
  last_datetime: string | null;
  datetime: string;
}

async function read(id: number, client = account.client): Promise<HandlerBody> {
  const response = await client.get(`${HANDLERS_READ}/${id}`).expect(200);
  return (response.body as { data: HandlerBody }).data;
}

type Form = Record<string, string>;
const post = (fields: Form) => account.client.post(HANDLERS, { name: 'Desk', ...fields });
const create = async (fields: Form) => idOf(await post(fields).expect(201));
const update = (id: number, fields: Form) => account.client.post(`${HANDLERS}/${id}`, fields);

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const URLS = ['webhook', 'slack', 'discord', 'microsoft_teams'];
const PHONES = ['twilio', 'twilio_call', 'whatsapp'];
const TELEGRAM_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

/** For each type, a complete form and the settings it stores. */
const TYPES: Record<string, [form: Record<string, string>, settings: Record<string, string>]> = {
  ...Object.fromEntries(
    [
      ['email', 'ops@example.com'],
      ['webhook', 'https://example.com/hook?a=b'],
      ['slack', 'https://hooks.slack.com/services/T0/B0/x'],
      ['discord', 'https://discord.com/api/webhooks/1/x'],
      ['microsoft_teams', 'https://example.webhook.office.com/x'],
    ].map(([type, value]) => [type, [{ [type]: value }, { [type]: value }]]),
  ),
  telegram: [
    { telegram_chat_id: '-1001234567890', telegram: TELEGRAM_TOKEN },
    { telegram: TELEGRAM_TOKEN, telegram_chat_id: '-1001234567890' },
  ],
  twilio: [{ twilio: '+55 (11) 98765-4321' }, { twilio: '+5511987654321' }],
  twilio_call: [{ twilio_call: '+1 415 555 2671' }, { twilio_call: '+14155552671' }],
  whatsapp: [{ whatsapp: '+44.20.7946.0958' }, { whatsapp: '+442079460958' }],
};
const NAMES = Object.keys(TYPES);

test('MAX_HANDLERS limits an account’s handlers, also when created concurrently', async () => {
  await withApplication({ ...database().env, MAX_HANDLERS: '2' }, async (limited) => {
    const { client } = await limited.createAccount();
    const post = () => client.post(HANDLERS, { name: 'Desk', type: 'email', email: 'ops@example.com' });
    const responses = await Promise.all(Array.from({ length: 4 }, () => post().then()));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const refused = responses.find(({ status }) => status === 409)!;
    expectErrors(refused, { code: 'limit_reached' });
    expect(refused.text).toContain('"This account may have at most 2 notification handlers; delete one, or ask the operator for more."');
    const created = responses.find(({ status }) => status === 201)!;
    await client.delete(`${HANDLERS}/${(created.body as { data: { id: number } }).data.id}`).expect(200);
    await post().expect(201);
    await (await limited.createAccount()).client.create(HANDLERS, { name: 'Desk', type: 'email', email: 'ops@example.com' });
  });
});

describe.each(NAMES)('handler of the type %s', (type) => {
  const [form, settings] = TYPES[type];

  test('a handler is created and read with its fields in the documented order', async () => {
    const response = await account.client.post(HANDLERS, { type, name: ' Night shift ', ...form });
    expect(response.status).toBe(201);
    const { id } = (response.body as { data: { id: number } }).data;
    expect(response.text).toBe(`{"data":{"id":${id}}}`);
    expect(response.headers.location).toMatch(new RegExp(`^${PUBLIC_URL}/api/notification-handlers?/${id}$`));

    const { datetime } = await read(id);
    const record =
      `{"id":${id},"type":"${type}","name":"Night shift","settings":${JSON.stringify(settings)},"is_enabled":true,` +
      `"last_datetime":null,"datetime":"${datetime}"}`;
    expect(datetime).toMatch(TIME);
    expect((await account.client.get(`${HANDLERS_READ}/${id}`)).text).toBe(`{"data":${record}}`);
    expect((await account.client.get(`${HANDLERS_READ}/?results_per_page=1000`)).text).toContain(record);
  });

  test('settings that are not given are empty', async () => {
    const { settings: empty } = await read(await create({ type }));
    expect(JSON.stringify(empty)).toBe(JSON.stringify(Object.fromEntries(Object.keys(settings).map((name) => [name, '']))));
  });

  test('fields of other types are rejected unless empty, naming the type', async () => {
    const foreign = NAMES.filter((other) => other !== type).flatMap((other) => Object.entries(TYPES[other][0]));
    const fields = Object.fromEntries(foreign);
    const names = Object.keys(fields).sort();
    const id = await create({ type, ...form });
    for (const refused of [post({ type, ...fields }), update(id, fields), update(id, { type, ...fields })]) {
      const errors = readErrors(await refused.expect(400));
      expect(errors.map(({ source }) => source?.name).sort()).toEqual(names);
      for (const { code, source, detail } of errors) {
        const [owner] = NAMES.filter((other) => source!.name in TYPES[other][0]);
        expect([code, detail]).toEqual(['invalid_parameter', expect.stringMatching(new RegExp(`\\b${owner}\\b`))]);
      }
    }
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    await create({ type, ...empty });
    await update(id, empty).expect(200);
    expect(await read(id)).toMatchObject({ settings, last_datetime: null });
  });

  test('changing the type clears the settings', async () => {
    const id = await create({ type, ...form });
    await update(id, { type }).expect(200);
    expect((await read(id)).settings).toEqual(settings);

    const next = NAMES[(NAMES.indexOf(type) + 1) % NAMES.length];
    await update(id, { type: next, ...TYPES[next][0] }).expect(200);
    expect(await read(id)).toMatchObject({ type: next, settings: TYPES[next][1] });
    await update(id, { type }).expect(200);
    const { settings: afresh } = await read(id);
    expect(afresh).toEqual(Object.fromEntries(Object.keys(settings).map((name) => [name, ''])));
  });

  test('secrets are shown only to keys with secrets:read', async () => {
    const id = await create({ type, ...form });
    const { client } = await application().createKey(account.id, { scopes: ['notification-handlers:read'] });
    const secret = [...URLS, 'telegram'];
    const masked = Object.entries(settings).map(([name, value]) => [name, secret.includes(name) ? `••••${value.slice(-4)}` : value]);
    const seen = await read(id, client);
    expect(JSON.stringify(seen.settings)).toBe(JSON.stringify(Object.fromEntries(masked)));
    const list = await client.get(`${HANDLERS_READ}?results_per_page=1000`).expect(200);
    expect((list.body as { data: HandlerBody[] }).data.find((handler) => handler.id === id)).toEqual(seen);
  });
});

test.each([
  ['', ''],
  ['1:a', '••••'],
  ['1:abc', '••••:abc'],
])('the secret %j is masked as %j', async (telegram, shown) => {
  const id = await create({ type: 'telegram', telegram, telegram_chat_id: '-1' });
  const { client } = await application().createKey(account.id, { scopes: ['notification-handlers:read'] });
  expect((await read(id, client)).settings).toEqual({ telegram: shown, telegram_chat_id: '-1' });
});

test('a secret that ends in a surrogate pair is masked without splitting it', async () => {
  const id = await create({ type: 'slack', slack: 'https://a.example.com/😀abc' });
  const { client } = await application().createKey(account.id, { scopes: ['notification-handlers:read'] });
  expect((await read(id, client)).settings).toEqual({ slack: '••••😀abc' });
});

test('a masked value is rejected, not stored', async () => {
  for (const name of [...URLS, 'telegram']) {
    const [form, settings] = TYPES[name];
    const id = await create({ type: name, ...form });
    for (const value of [`••••${settings[name].slice(-4)}`, MASK]) {
      const refused: ExpectedError = { code: 'invalid_parameter', source: `form.${name}` };
      expectErrors(await update(id, { name: 'Other', [name]: value }), refused);
      expectErrors(await post({ type: name, [name]: value }), refused);
    }
    expect(await read(id)).toMatchObject({ name: 'Desk', settings });
  }
});

describe('handler settings', () => {
  test.each([
    ['email', 'a@b.example'],
    ['email', 'first.last+tag@sub.example.com'],
    ['email', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.co`],
    ['telegram', '1:a'],
    ['telegram', '123:ABC_def-9'],
    ['telegram_chat_id', '1'],
    ['telegram_chat_id', '-1'],
    ['telegram_chat_id', '@my_channel1'],
    ['webhook', 'http://192.168.1.1:8080/x'],
    ['webhook', `https://example.com/${'a'.repeat(2028)}`],
  ])('accepts %s=%s', async (name, value) => {
    const type = name.replace('_chat_id', '');
    expect((await read(await create({ type, [name]: value }))).settings[name]).toBe(value);
  });

  const EMAILS = ['nobody', 'a@b', 'a@@b.example', 'a b@c.example', 'Name <a@b.example>', 'a@b.example, c@d.example'];
  const LONG_EMAIL = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.com`;
  const WRONG_URLS = ['ftp://example.com', 'https://u:p@example.com/', `https://example.com/${'a'.repeat(2029)}`];
  const NUMBERS = ['98765-4321', '+', '+1', '+999999999999999999', '+55 11 abc', 'tel:+5511987654321', '+5511987654321;ext=1'];

  test.each([
    ['email', [...EMAILS, LONG_EMAIL]],
    ['telegram', ['123', ':abc', '123:', 'abc:def', '123:a b', '123:a/../b']],
    ['telegram_chat_id', ['--1', '+1', '1.0', '@', '@a b', 'channel']],
    ...URLS.map((name): [string, string[]] => [name, ['example.com', ...(name === 'webhook' ? WRONG_URLS : [])]]),
    ...PHONES.map((name): [string, string[]] => [name, ['12345', ...(name === 'twilio' ? NUMBERS : [])]]),
  ])('rejects a malformed %s', async (name, values) => {
    const type = name.replace('_chat_id', '');
    for (const value of values) expectErrors(await post({ type, [name]: value }), { code: 'invalid_parameter', source: `form.${name}` });
  });

  test.each(['', 'Email', 'sms', 'email,slack', '0', 'constructor'])('rejects the type %j', async (type) => {
    const response = await post({ type });
    expectErrors(response, { code: type === '' ? 'missing_parameter' : 'invalid_parameter', source: 'form.type' });
    if (type !== '') for (const name of NAMES) expect(response.text).toContain(name);
  });

  test.each(['a\u0000b', 'a\nb', 'x'.repeat(129)])('rejects the name %j', async (name) => {
    expectErrors(await post({ name, type: 'email' }), { code: 'invalid_parameter', source: 'form.name' });
  });

  test('two handlers may share a name', async () => {
    expect(await create({ type: 'email', name: 'Same' })).not.toBe(await create({ type: 'email', name: 'Same' }));
  });
});

describe('is_enabled', () => {
  test('is_enabled is rejected on create', async () => {
    for (const is_enabled of ['1', '0', '']) {
      expectErrors(await post({ type: 'email', is_enabled }), { code: 'unknown_parameter', source: 'form.is_enabled' });
    }
  });

  test.each([
    ...['0', 'false', 'False', 'FALSE', false, 0].map((value) => [value, false] as const),
    ...['1', 'true', 'True', 'TRUE', true, 1].map((value) => [value, true] as const),
  ])('%j on update sets is_enabled to %s', async (value, expected) => {
    const id = await create({ type: 'email' });
    await update(id, { is_enabled: expected ? '0' : '1' }).expect(200);
    await account.client.send('POST', `${HANDLERS}/${id}`).send({ is_enabled: value }).expect(200);
    expect((await read(id)).is_enabled).toBe(expected);
    await update(id, { is_enabled: expected ? '0' : '1' }).expect(200);
    await update(id, { is_enabled: String(value) }).expect(200);
    expect((await read(id)).is_enabled).toBe(expected);
  });

  test('rejects other values of is_enabled', async () => {
    const id = await create({ type: 'email' });
    for (const is_enabled of ['', ' ', 'yes', 'off', '2', '-1', 'T', '01', 'null']) {
      const detail = 'is_enabled must be one of 1, 0, true, false, in any case.';
      expectErrors(await update(id, { is_enabled }), { code: 'invalid_parameter', source: 'form.is_enabled', detail });
    }
  });
});

describe('POST /api/notification-handlers/:handler_id', () => {
  test('an update changes only the given fields and last_datetime', async () => {
    const id = await create({ type: 'telegram', ...TYPES.telegram[0] });
    const before = await read(id);
    const response = await update(id, { telegram_chat_id: '@desk' });
    expect([response.status, response.text]).toEqual([200, `{"data":{"id":${id}}}`]);
    const after = await read(id);
    expect(after).toEqual({
      ...before,
      settings: { telegram: TELEGRAM_TOKEN, telegram_chat_id: '@desk' },
      last_datetime: after.last_datetime,
    });
    expect(after.last_datetime).toMatch(TIME);
  });

  test('clears an optional field with an empty string', async () => {
    const id = await create({ type: 'telegram', ...TYPES.telegram[0] });
    await update(id, { telegram: '', slack: '' }).expect(200);
    expect((await read(id)).settings).toEqual({ telegram: '', telegram_chat_id: '-1001234567890' });
  });

  test.each(['name', 'type', 'is_enabled'])('rejects an empty %s', async (name) => {
    const id = await create({ type: 'email' });
    expectErrors(await update(id, { [name]: ' ' }), { code: 'invalid_parameter', source: `form.${name}` });
  });

  test('an update without fields changes nothing', async () => {
    const id = await create({ type: 'email' });
    const before = await application().rows('notification_handlers');
    await update(id, {}).expect(200, `{"data":{"id":${id}}}`);
    expect(await application().rows('notification_handlers')).toEqual(before);
  });

  test('a rejected update changes nothing', async () => {
    const id = await create({ type: 'email', email: 'a@example.com' });
    const before = await application().rows('notification_handlers');
    await update(id, { name: 'Other', slack: 'https://example.com' }).expect(400);
    await update(id, { name: 'Other', type: 'slack', email: 'b@example.com' }).expect(400);
    expect(await application().rows('notification_handlers')).toEqual(before);
  });

  test.each<Form>([{}, { name: 'x' }])('returns 404 for an unknown handler: %j', async (fields) => {
    expectErrors(await update(999_999, fields), { code: 'not_found' });
  });

  test('concurrent updates of different fields are all kept', async () => {
    const id = await create({ type: 'telegram' });
    const changes: Form[] = [{ name: 'Changed' }, { telegram: TELEGRAM_TOKEN }, { telegram_chat_id: '@desk' }, { is_enabled: '0' }];
    for (let round = 0; round < 5; round++) {
      await update(id, { name: 'Desk', telegram: '', telegram_chat_id: '', is_enabled: '1' }).expect(200);
      const answers = await Promise.all(changes.map((change) => update(id, change)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(await read(id)).toMatchObject({
        name: 'Changed',
        settings: { telegram: TELEGRAM_TOKEN, telegram_chat_id: '@desk' },
        is_enabled: false,
      });
    }
  });
});

test('a deleted handler returns 404, also when deleted again', async () => {
  const id = await create({ type: 'email' });
  const response = await account.client.delete(`${HANDLERS}/${id}`);
  expect([response.status, response.text]).toEqual([200, `{"data":{"id":${id}}}`]);
  expectErrors(await account.client.get(`${HANDLERS_READ}/${id}`), { code: 'not_found' });
  expectErrors(await account.client.delete(`${HANDLERS}/${id}`), { code: 'not_found' });
});

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const URL = 'https://hooks.example.com/in';
const HOUR = 3_600_000;
const newWebhook = (owner = account) => owner.client.create(HANDLERS, { name: 'Desk', type: 'webhook', webhook: URL });
const at = (id: number, path = HANDLERS) => `${path}/${id}/signing-secret`;
const secretIn = (response: { body: unknown }) => (response.body as { data: { secret: string } }).data.secret;
const secretOf = async (id: number, client = account.client) => secretIn(await client.get(at(id)).expect(200));
const replace = async (id: number, client = account.client) => secretIn(await client.send('POST', at(id)).expect(200));
const rowsOf = async (id: number) => (await application().rows('signing_secrets')).filter(({ handler_id }) => handler_id === id);
const targets = (of: TestApplication = application()) => of.app.get(DeliveryTargets, { strict: false });
const signing = async (id: number, ofTargets = targets()) => (await ofTargets.find([id])).get(id)!.signingSecrets();

async function auditOf(id: number): Promise<object[]> {
  const rows = (await application().audited()).filter(({ record, record_id }) => record === 'signing secret' && record_id === id);
  return rows.map(({ action, account_id, key_id, request_id }) => ({ action, account_id, key_id, request_id }));
}

describe('signing secret of a webhook', () => {
  test('the secret is created on first use, the same on both paths', async () => {
    const id = await newWebhook();
    expect(await rowsOf(id)).toEqual([]);
    const first = await account.client.get(at(id)).set('X-Request-Id', 'first').expect(200);
    expect(secretIn(first)).toMatch(SECRET);
    expect(Buffer.from(secretIn(first).slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(first.text).toBe(JSON.stringify({ data: { secret: secretIn(first) } }));
    expect((await account.client.get(at(id, HANDLERS_READ)).expect(200)).text).toBe(first.text);
    expect((await account.client.get(`${at(id)}/`).expect(200)).text).toBe(first.text);
    expect(await auditOf(id)).toEqual([{ action: 'create', account_id: account.id, key_id: account.keyId, request_id: 'first' }]);
  });

  test('each webhook has its own secret, encrypted in the database', async () => {
    const ids = [await newWebhook(), await newWebhook()];
    const secrets = [await secretOf(ids[0]), await secretOf(ids[1])];
    expect(secrets[0]).not.toBe(secrets[1]);
    const dump = JSON.stringify(await application().dump());
    for (const secret of secrets) expect(dump).not.toContain(secret.slice('whsec_'.length));
    for (const id of ids) expect(await rowsOf(id)).toMatchObject([{ account_id: account.id, replaced_datetime: null }]);
  });

  test('a secret moved to another account’s row cannot be decrypted', async () => {
    const other = await application().createAccount();
    const [from, to] = [await newWebhook(), await newWebhook(other)];
    await secretOf(from);
    await secretOf(to, other.client);
    const [{ secret }] = await rowsOf(from);
    await application().dataSource.query('UPDATE signing_secrets SET secret = ? WHERE handler_id = ?', [secret, to]);
    expectErrors(await other.client.get(at(to)), { code: 'internal_error' });
  });

  test('reading or replacing the secret does not change the handler', async () => {
    const id = await newWebhook();
    const handler = await account.client.get(`${HANDLERS}/${id}`).expect(200);
    const answers = [await account.client.get(at(id)), await account.client.send('POST', at(id))];
    expect(answers.map(({ status, headers }) => [status, headers.etag, headers['cache-control']])).toEqual(
      Array(2).fill([200, undefined, 'no-store']),
    );
    const after = await account.client.get(`${HANDLERS}/${id}`).expect(200);
    expect([after.text, after.headers.etag]).toEqual([handler.text, handler.headers.etag]);
  });

  test('concurrent first uses in two processes create one secret', async () => {
    await withApplication(database().env, async (second) => {
      const clients = [account.client, second.client(account.key)];
      for (let round = 0; round < 5; round++) {
        const id = await newWebhook();
        const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((index) => secretOf(id, clients[index])));
        answers.push(...(await signing(id, targets(second))));
        expect(new Set(answers).size).toBe(1);
        expect([(await rowsOf(id)).length, (await auditOf(id)).length]).toEqual([1, 1]);
      }
    });
  });

  test.each(['GET', 'POST'])('%s …/signing-secret returns 404 for a handler that is no webhook, foreign or unknown', async (method) => {
    const email = await create({ type: 'email' });
    const foreign = await newWebhook(await application().createAccount());
    const unknown = await account.client.get(`${HANDLERS}/999999`);
    for (const id of [email, foreign, 999_999]) {
      const answer = await account.client.send(method, at(id));
      expectErrors(answer, { code: 'not_found', detail: 'There is no notification handler with this id.' });
      expect(withoutRequestId(answer)).toBe(withoutRequestId(unknown));
    }
    for (const id of [email, foreign]) expect(await rowsOf(id)).toEqual([]);
  });

  test('reading a secret requires secrets:read, and replacing it notification-handlers:write, too', async () => {
    const id = await newWebhook();
    const withScopes = async (...scopes: ('secrets:read' | 'notification-handlers:read' | 'notification-handlers:write')[]) =>
      (await application().createKey(account.id, { scopes })).client;
    await secretOf(id, await withScopes('secrets:read'));
    await replace(id, await withScopes('secrets:read', 'notification-handlers:write'));
    const refused = { code: 'insufficient_scope', source: 'header.Authorization' } as const;
    expectErrors(await (await withScopes('notification-handlers:read', 'notification-handlers:write')).get(at(id)), refused);
    for (const scope of ['secrets:read', 'notification-handlers:write'] as const) {
      const answer = await (await withScopes(scope)).send('POST', at(id));
      expectErrors(answer, refused);
      expect(answer.headers['www-authenticate']).toContain('scope="secrets:read notification-handlers:write"');
    }
  });
});

describe('replacing a signing secret', () => {
  test('each replacement creates a new secret and is audited', async () => {
    const id = await newWebhook();
    const answer = await account.client.send('POST', at(id, HANDLERS_READ)).set('X-Request-Id', 'replace').expect(200);
    expect(answer.text).toBe(JSON.stringify({ data: { secret: secretIn(answer) } }));
    const secrets = [secretIn(answer), await replace(id)];
    expect(secrets).toEqual([expect.stringMatching(SECRET), expect.stringMatching(SECRET)]);
    expect(secrets[0]).not.toBe(secrets[1]);
    expect(await secretOf(id)).toBe(secrets[1]);
    const made = { action: 'create', account_id: account.id, key_id: account.keyId };
    expect(await auditOf(id)).toEqual([
      { ...made, request_id: 'replace' },
      { ...made, request_id: expect.any(String) as string },
    ]);
  });

  test('replacing a secret rejects fields and Idempotency-Key', async () => {
    const id = await newWebhook();
    const secret = await secretOf(id);
    expectErrors(
      await account.client.post(at(id), { secret: 'mine' }).set('Idempotency-Key', 'once'),
      { code: 'invalid_parameter', source: 'header.Idempotency-Key' },
      { code: 'unknown_parameter', source: 'form.secret' },
    );
    expect(await secretOf(id)).toBe(secret);
    expect(await rowsOf(id)).toHaveLength(1);
  });

  test('replaced secrets sign for another 24 hours, newest first', async () => {
    const clock = holdClock(application());
    const id = await newWebhook();
    const first = await secretOf(id);
    const second = await replace(id);
    expect(await signing(id)).toEqual([second, first]);
    clock.move(10 * HOUR);
    const third = await replace(id);
    expect(await signing(id)).toEqual([third, second, first]);
    clock.move(14 * HOUR - 60_000);
    expect(await signing(id)).toEqual([third, second, first]);
    clock.move(61_000);
    expect(await signing(id)).toEqual([third, second]);
    clock.move(10 * HOUR);
    expect(await signing(id)).toEqual([third]);
    expect(await secretOf(id)).toBe(third);
    const fourth = await replace(id);
    expect(await signing(id)).toEqual([fourth, third]);
    expect(await rowsOf(id)).toHaveLength(2);
  });

  test('at most three secrets sign, and older ones are deleted', async () => {
    const id = await newWebhook();
    const secrets: string[] = [];
    for (let count = 0; count < 5; count++) secrets.unshift(await replace(id));
    expect(await signing(id)).toEqual(secrets.slice(0, 3));
    expect(await rowsOf(id)).toHaveLength(3);
  });

  test('concurrent replacements leave one current secret', async () => {
    const id = await newWebhook();
    const made = await Promise.all(Array.from({ length: 8 }, () => replace(id)));
    expect(new Set(made).size).toBe(8);
    const rows = await rowsOf(id);
    expect(rows.map(({ replaced_datetime }) => replaced_datetime === null)).toEqual([false, false, true]);
    const now = await signing(id);
    expect(made).toEqual(expect.arrayContaining(now));
    expect(await secretOf(id)).toBe(now[0]);
  });
});

describe('signing secrets of a changed handler', () => {
  test('changing the type deletes the secrets', async () => {
    const id = await newWebhook();
    const secrets = [await secretOf(id), await replace(id)];
    await update(id, { type: 'slack' }).expect(200);
    expect(await rowsOf(id)).toEqual([]);
    await account.client.get(at(id)).expect(404);
    await update(id, { type: 'webhook', webhook: URL }).expect(200);
    expect(secrets).not.toContain(await secretOf(id));
    expect(await signing(id)).toHaveLength(1);
  });

  test('updates that keep the type, and rejected updates, keep the secrets', async () => {
    const id = await newWebhook();
    const secret = await secretOf(id);
    await update(id, { name: 'Other', is_enabled: '0', webhook: 'https://hooks.example.com/other' }).expect(200);
    await update(id, { type: 'webhook' }).expect(200);
    await update(id, { type: 'slack' }).set('If-Match', '"x"').expect(412);
    await update(id, { type: 'slack', webhook: URL }).expect(400);
    expect(await secretOf(id)).toBe(secret);
  });

  test('changing the type during the first use of the secret keeps none', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await newWebhook();
      const uses = [account.client.get(at(id)), account.client.send('POST', at(id))];
      const [, ...answers] = await Promise.all([update(id, { type: 'slack' }).expect(200), ...uses]);
      for (const { status } of answers) expect([200, 404]).toContain(status);
      expect(await rowsOf(id)).toEqual([]);
    }
  });

  test('deleting the handler deletes the secrets', async () => {
    const id = await newWebhook();
    await replace(id);
    await replace(id);
    await account.client.delete(`${HANDLERS}/${id}`).expect(200);
    expect(await rowsOf(id)).toEqual([]);
  });
});

describe('DeliveryTargets and EnabledHandlers', () => {
  const createAs = (client: Client, type: string, value: string) => client.create(HANDLERS, { name: `A ${type}`, type, [type]: value });

  test('DeliveryTargets finds handlers of any account, with settings and secrets', async () => {
    const other = await application().createAccount();
    const webhook = await newWebhook();
    const slack = await createAs(other.client, 'slack', 'https://hooks.slack.com/x');
    const email = await createAs(account.client, 'email', 'ops@example.com');
    await update(email, { is_enabled: '0' }).expect(200);
    const secrets = [await replace(webhook), await replace(webhook)].reverse();

    const found = await targets().find([email, webhook, 999_999, slack, webhook]);
    expect([...found.keys()].sort((a, b) => a - b)).toEqual([webhook, slack, email]);
    const accounts = await application().rows('accounts');
    const accountOf = ({ id }: TestAccount) => ({ accountId: id, accountName: accounts.find((row) => row.id === id)?.name });
    const targetsRead = await Promise.all(
      [...found.values()].map(async ({ settings, signingSecrets, ...rest }) => [rest, settings(), await signingSecrets()]),
    );
    expect(targetsRead).toEqual(
      expect.arrayContaining([
        [{ id: webhook, ...accountOf(account), type: 'webhook', name: 'Desk', isEnabled: true }, { webhook: URL }, secrets],
        [{ id: slack, ...accountOf(other), type: 'slack', name: 'A slack', isEnabled: true }, { slack: 'https://hooks.slack.com/x' }, []],
        [{ id: email, ...accountOf(account), type: 'email', name: 'A email', isEnabled: false }, { email: 'ops@example.com' }, []],
      ]),
    );
    expect(await targets().find([])).toEqual(new Map());
  });

  test('settings that cannot be decrypted affect no other handler', async () => {
    const [broken, whole] = [await newWebhook(), await newWebhook()];
    await application().dataSource.query("UPDATE notification_handlers SET settings = 'ffffffff.AAAA' WHERE id = ?", [broken]);
    const found = await targets().find([broken, whole]);
    expect(() => found.get(broken)!.settings()).toThrow('The key ffffffff, which encrypts a stored secret, is missing');
    expect(found.get(whole)!.settings()).toEqual({ webhook: URL });
  });

  test('the first delivery creates the signing secret, audited without a key', async () => {
    const id = await newWebhook();
    const secrets = await signing(id);
    expect([secrets, await signing(id), await secretOf(id)]).toEqual([[expect.stringMatching(SECRET)], secrets, secrets[0]]);
    expect(await auditOf(id)).toEqual([{ action: 'create', account_id: account.id, key_id: null, request_id: null }]);
  });

  test('EnabledHandlers finds an account’s enabled handlers', async () => {
    const { id: accountId, client } = await application().createAccount();
    const slack = { handlerId: await createAs(client, 'slack', URL), type: 'slack' };
    const off = await createAs(client, 'discord', URL);
    const email = { handlerId: await createAs(client, 'email', 'ops@example.com'), type: 'email' };
    await client.post(`${HANDLERS}/${off}`, { is_enabled: '0' }).expect(200);
    const foreign = await newWebhook();

    const dialect = application().app.get(Dialect);
    const handlers = application().app.get(EnabledHandlers, { strict: false });
    expect(await handlers.find(dialect, accountId, 10)).toEqual([slack, email]);
    expect(await handlers.find(dialect, accountId, 1)).toEqual([slack]);
    const ids = [foreign, email.handlerId, off, slack.handlerId, 999_999];
    expect(await handlers.find(dialect, accountId, 10, ids)).toEqual([slack, email]);
    expect(await handlers.find(dialect, accountId, 10, [off])).toEqual([]);
  });
});
