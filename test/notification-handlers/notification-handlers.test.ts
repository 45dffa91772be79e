// Runs on SQLite; in the whole run, on MySQL too.
import { MASK } from '../../src/notification-handlers/channel-settings';
import { PUBLIC_URL, type TestAccount, useApplication, withApplication } from '../support/application';
import { expectErrors } from '../support/errors';
import { HANDLERS, HANDLERS_READ } from '../support/records';

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
const create = (fields: Form) => account.client.create(HANDLERS, { name: 'Desk', ...fields });
const update = (id: number, fields: Form) => account.client.post(`${HANDLERS}/${id}`, fields);

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const URLS = ['webhook', 'slack', 'discord', 'microsoft_teams'];
const PHONES = ['twilio', 'twilio_call', 'whatsapp'];
const TELEGRAM_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

/** For each type, a full form and the settings it stores. */
const TYPES: Record<string, [form: Record<string, string>, settings: Record<string, string>]> = {
  email: [{ email: 'ops@example.com' }, { email: 'ops@example.com' }],
  webhook: [{ webhook: 'https://example.com/hook?a=b' }, { webhook: 'https://example.com/hook?a=b' }],
  slack: [{ slack: 'https://hooks.slack.com/services/T0/B0/x' }, { slack: 'https://hooks.slack.com/services/T0/B0/x' }],
  discord: [{ discord: 'https://discord.com/api/webhooks/1/x' }, { discord: 'https://discord.com/api/webhooks/1/x' }],
  telegram: [
    { telegram_chat_id: '-1001234567890', telegram: TELEGRAM_TOKEN },
    { telegram: TELEGRAM_TOKEN, telegram_chat_id: '-1001234567890' },
  ],
  microsoft_teams: [
    { microsoft_teams: 'https://example.webhook.office.com/x' },
    { microsoft_teams: 'https://example.webhook.office.com/x' },
  ],
  twilio: [{ twilio: '+55 (11) 98765-4321' }, { twilio: '+5511987654321' }],
  twilio_call: [{ twilio_call: '+1 415 555 2671' }, { twilio_call: '+14155552671' }],
  whatsapp: [{ whatsapp: '+44.20.7946.0958' }, { whatsapp: '+442079460958' }],
};
const NAMES = Object.keys(TYPES);

describe('MAX_HANDLERS', () => {
  test('limits an account’s handlers, those created at once, too', async () => {
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
});

describe.each(NAMES)('a handler of the type %s', (type) => {
  const [form, settings] = TYPES[type];

  test('is created and read with its fields in the documented order', async () => {
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

  test('has all its settings when none are given, each empty', async () => {
    const { settings: empty } = await read(await create({ type }));
    expect(JSON.stringify(empty)).toBe(JSON.stringify(Object.fromEntries(Object.keys(settings).map((name) => [name, '']))));
  });

  test('refuses every field of another type, naming that type, and ignores it when empty', async () => {
    const foreign = NAMES.filter((other) => other !== type).flatMap((other) => Object.keys(TYPES[other][0]).map((name) => [other, name]));
    const id = await create({ type, ...form });
    for (const [other, name] of foreign) {
      const expected = { code: 'invalid_parameter', source: `form.${name}`, detail: new RegExp(`\\b${other}\\b`) } as const;
      const value = TYPES[other][0][name];
      expectErrors(await account.client.post(HANDLERS, { name: 'Desk', type, [name]: value }), expected);
      expectErrors(await update(id, { [name]: value }), expected);
      expectErrors(await update(id, { type, [name]: value }), expected);
    }
    const empty = Object.fromEntries(foreign.map(([, name]) => [name, '']));
    await account.client.create(HANDLERS, { name: 'Desk', type, ...empty });
    await update(id, empty).expect(200);
    expect((await read(id)).settings).toEqual(settings);
  });

  test('has its settings cleared when its type changes, and only then', async () => {
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

  test('shows secrets only to a key with secrets:read', async () => {
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

test('an empty secret stays empty, masked or not', async () => {
  const id = await create({ type: 'telegram' });
  const { client } = await application().createKey(account.id, { scopes: ['notification-handlers:read'] });
  expect((await read(id, client)).settings).toEqual({ telegram: '', telegram_chat_id: '' });
});

test('a masked value that is sent back is refused, never stored', async () => {
  for (const name of [...URLS, 'telegram']) {
    const [form, settings] = TYPES[name];
    const id = await create({ type: name, ...form });
    for (const value of [`••••${settings[name].slice(-4)}`, MASK]) {
      expectErrors(await update(id, { name: 'Other', [name]: value }), { code: 'invalid_parameter', source: `form.${name}` });
      expectErrors(await account.client.post(HANDLERS, { name: 'Desk', type: name, [name]: value }), {
        code: 'invalid_parameter',
        source: `form.${name}`,
      });
    }
    expect(await read(id)).toMatchObject({ name: 'Desk', settings });
  }
});

describe('the values', () => {
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
  ])('%s may be %s', async (name, value) => {
    const type = name.replace('_chat_id', '');
    expect((await read(await create({ type, [name]: value }))).settings[name]).toBe(value);
  });

  test.each([
    ['email', 'nobody'],
    ['email', 'a@b'],
    ['email', 'a@@b.example'],
    ['email', 'a b@c.example'],
    ['email', 'Name <a@b.example>'],
    ['email', 'a@b.example, c@d.example'],
    ['email', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.com`],
    ['telegram', '123'],
    ['telegram', ':abc'],
    ['telegram', '123:'],
    ['telegram', 'abc:def'],
    ['telegram', '123:a b'],
    ['telegram', '123:a/../b'],
    ['telegram_chat_id', '--1'],
    ['telegram_chat_id', '+1'],
    ['telegram_chat_id', '1.0'],
    ['telegram_chat_id', '@'],
    ['telegram_chat_id', '@a b'],
    ['telegram_chat_id', 'channel'],
    ...URLS.flatMap((name) =>
      ['example.com', 'ftp://example.com', 'https://u:p@example.com/', `https://example.com/${'a'.repeat(2029)}`].map((value) => [
        name,
        value,
      ]),
    ),
    ...PHONES.flatMap((name) =>
      ['12345', '98765-4321', '+', '+1', '+999999999999999999', '+55 11 abc', 'tel:+5511987654321', '+5511987654321;ext=1'].map((value) => [
        name,
        value,
      ]),
    ),
  ])('%s may not be %s', async (name, value) => {
    const type = name.replace('_chat_id', '');
    expectErrors(await account.client.post(HANDLERS, { name: 'Desk', type, [name]: value }), {
      code: 'invalid_parameter',
      source: `form.${name}`,
    });
  });

  test.each(['', 'Email', 'EMAIL', 'e-mail', 'sms', 'teams', 'twilio-call', 'email,slack', '0', 'constructor'])(
    'type may not be %j',
    async (type) => {
      const response = await account.client.post(HANDLERS, { name: 'Desk', type });
      expectErrors(response, { code: type === '' ? 'missing_parameter' : 'invalid_parameter', source: 'form.type' });
      if (type !== '') for (const name of NAMES) expect(response.text).toContain(name);
    },
  );

  test.each(['a\u0000b', 'a\nb', 'x'.repeat(129)])('name may not be %j', async (name) => {
    expectErrors(await account.client.post(HANDLERS, { name, type: 'email' }), { code: 'invalid_parameter', source: 'form.name' });
  });

  test('two handlers may share a name', async () => {
    expect(await create({ type: 'email', name: 'Same' })).not.toBe(await create({ type: 'email', name: 'Same' }));
  });
});

describe('is_enabled', () => {
  test('is not accepted on create: a new handler is enabled', async () => {
    for (const is_enabled of ['1', '0', '']) {
      const response = await account.client.post(HANDLERS, { name: 'Desk', type: 'email', is_enabled });
      expectErrors(response, { code: 'unknown_parameter', source: 'form.is_enabled' });
    }
  });

  test.each([
    ['0', false],
    ['1', true],
    ['false', false],
    ['true', true],
  ])('%s on update sets it to %s', async (value, expected) => {
    const id = await create({ type: 'email' });
    await update(id, { is_enabled: expected ? '0' : '1' }).expect(200);
    await update(id, { is_enabled: value }).expect(200);
    expect((await read(id)).is_enabled).toBe(expected);
  });

  test.each(['', ' ', 'yes', 'no', 'on', 'off', '2', '-1', 'True', 'FALSE', '01', 'null'])(
    '%j is none of its values',
    async (is_enabled) => {
      const id = await create({ type: 'email' });
      expectErrors(await update(id, { is_enabled }), { code: 'invalid_parameter', source: 'form.is_enabled' });
    },
  );

  test('may be a JSON boolean or number', async () => {
    const id = await create({ type: 'email' });
    for (const [value, expected] of [
      [false, false],
      [1, true],
      [0, false],
      [true, true],
    ]) {
      await account.client.send('POST', `${HANDLERS}/${id}`).send({ is_enabled: value }).expect(200);
      expect((await read(id)).is_enabled).toBe(expected);
    }
  });
});

describe('an update', () => {
  test('changes the given fields only, and sets last_datetime', async () => {
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
    await update(id, { telegram: '' }).expect(200);
    expect((await read(id)).settings).toEqual({ telegram: '', telegram_chat_id: '-1001234567890' });
  });

  test.each(['name', 'type', 'is_enabled'])('to an empty %s is refused', async (name) => {
    const id = await create({ type: 'email' });
    expectErrors(await update(id, { [name]: ' ' }), { code: 'invalid_parameter', source: `form.${name}` });
  });

  test('without fields changes nothing', async () => {
    const id = await create({ type: 'email' });
    const before = await application().rows('notification_handlers');
    await update(id, {}).expect(200, `{"data":{"id":${id}}}`);
    expect(await application().rows('notification_handlers')).toEqual(before);
  });

  test('that is refused changes nothing', async () => {
    const id = await create({ type: 'email', email: 'a@example.com' });
    const before = await application().rows('notification_handlers');
    await update(id, { name: 'Other', slack: 'https://example.com' }).expect(400);
    await update(id, { name: 'Other', type: 'slack', email: 'b@example.com' }).expect(400);
    expect(await application().rows('notification_handlers')).toEqual(before);
  });

  test.each<Form>([{}, { name: 'x' }])('of an unknown handler is a 404', async (fields) => {
    expectErrors(await update(999_999, fields), { code: 'not_found' });
  });

  test('concurrent with an update of another field loses neither', async () => {
    const id = await create({ type: 'telegram' });
    const changes: Form[] = [{ name: 'Changed' }, { telegram: TELEGRAM_TOKEN }, { telegram_chat_id: '@desk' }, { is_enabled: '0' }];
    for (let round = 0; round < 10; round++) {
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

test('a deleted handler is gone, and can’t be deleted again', async () => {
  const id = await create({ type: 'email' });
  const response = await account.client.delete(`${HANDLERS}/${id}`);
  expect([response.status, response.text]).toEqual([200, `{"data":{"id":${id}}}`]);
  expectErrors(await account.client.get(`${HANDLERS_READ}/${id}`), { code: 'not_found' });
  expectErrors(await account.client.delete(`${HANDLERS}/${id}`), { code: 'not_found' });
});

test('a secret that ends in a surrogate pair is masked without splitting it', async () => {
  const id = await account.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: 'https://a.example.com/😀abc' });
  const { key } = await application().createKey(account.id, { scopes: ['notification-handlers:read'] });
  const { body } = await application().client(key).get(`${HANDLERS}/${id}`);
  expect(body).toMatchObject({ data: { settings: { slack: '••••😀abc' } } });
});

test('an update with nothing but empty fields of other types changes nothing', async () => {
  const id = await account.client.create(HANDLERS, { name: 'Desk', type: 'email', email: 'a@example.com' });
  await account.client.post(`${HANDLERS}/${id}`, { slack: '', webhook: '' }).expect(200);
  expect((await account.client.get(`${HANDLERS}/${id}`)).body).toMatchObject({ data: { last_datetime: null } });
  await account.client.post(`${HANDLERS}/${id}`, { slack: '', email: '' }).expect(200);
  const { body } = await account.client.get(`${HANDLERS}/${id}`);
  expect(body).toMatchObject({ data: { settings: { email: '' }, last_datetime: expect.any(String) as string } });
});
