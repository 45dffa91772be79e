/** @mysql always */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Delivery, DeliveryAttempt } from '../../../../src/deliveries/delivery.entity';
import { foldContent, Message } from '../../../../src/messages/message.entity';
import { Domain } from '../../../../src/domains/domain.entity';
import { NotificationHandler } from '../../../../src/notification-handlers/notification-handler.entity';
import { Campaign, Notification } from '../../../../src/notifications/notification.entity';
import { SecretsCipher } from '../../../../src/platform/secrets/secrets-cipher';
import { PUBLIC_URL, type TestAccount, useApplication } from '../../../support/http/application';
import { expectErrors } from '../../../support/http/errors';
import { DELIVERIES, DOMAINS, HANDLERS, HANDLERS_READ, MESSAGES, NOTIFICATIONS } from '../../../support/areas/records';

type Row = Record<string, string | number | boolean | null>;
type Body = { data: Row[]; meta: { total: number }; links: { self: string; first: string; next: string | null } };

const { application } = useApplication({ DELIVERY_CONCURRENCY: '0' });
let account: TestAccount;
let stranger: TestAccount;
const rows: Record<string, Row[]> = {};

const NAMES = [
  'João da Silva',
  'JOAO',
  'joão  ',
  '100% off',
  '100 off',
  'a_b',
  'aXb',
  'back\\slash',
  "O'Brien",
  '"quoted"',
  'São Paulo',
  'Straße',
  'ΣΊΣΥΦΟΣ',
  'Ⅷ',
  '日本',
  '😀 smile',
  'é',
  'e\u0301',
  'null',
  '~',
  'zebra',
  'Zebra crossing',
  'x'.repeat(128),
];
const TIMES = ['2025-12-31 23:59:59', '2026-01-01 00:00:00', '2026-01-01 00:00:01', '2026-02-28 12:00:00', '2026-11-21 14:05:09'];
const CHANNELS = ['email', 'slack', 'webhook', 'twilio_call'] as const;
const TYPES = ['INFORMATIONAL', 'EXIT_INTENT', 'A'];
const STATUSES = ['delivered', 'failed', 'cancelled'] as const;

/** Cycles through a list, each at its own pace, so that values mix. */
const nth = <T>(values: readonly T[], index: number, step: number): T => values[Math.floor(index / step) % values.length];

beforeAll(async () => {
  account = await application().createAccount();
  stranger = await application().createAccount();
  for (const each of [account, stranger]) await seed(each);
  const bodies = [DOMAINS, HANDLERS, NOTIFICATIONS, MESSAGES, DELIVERIES].map(async (path) => {
    rows[path] = ((await account.client.get(`${path}?results_per_page=1000`).expect(200)).body as Body).data;
  });
  await Promise.all(bodies);
});

async function seed({ id: account_id }: TestAccount): Promise<void> {
  const { manager } = application().dataSource;
  const settings = application().app.get(SecretsCipher).encrypt('{"email":"a@b.example"}', account_id);
  const campaigns = [{ name: 'one' }, { name: 'two' }].map((each) => ({ ...each, account_id, is_enabled: true, datetime: TIMES[0] }));
  for (const campaign of campaigns) await manager.insert(Campaign, campaign);
  const [first, second] = (await manager.findBy(Campaign, { account_id })).map(({ id }) => id);
  const hosts = ['shop', 'www', 'xn--mller-kva', 'muller', 'a-b'];
  for (let index = 0; index < 60; index++) {
    const times = { datetime: nth(TIMES, index, 1), last_datetime: nth([null, ...TIMES], index, 3) };
    const common = { account_id, is_enabled: index % 3 > 0, ...times };
    const name = nth(NAMES, index, 1);
    const host = `${nth(hosts, index, 2)}.${randomBytes(6).toString('hex')}.example.com`;
    await manager.insert(Domain, {
      ...common,
      host,
      custom_index_url: '',
      custom_not_found_url: '',
      scheme: nth(['https://', 'http://'], index, 2),
    });
    await manager.insert(NotificationHandler, { ...common, name, type: nth(CHANNELS, index, 2), settings });
    const notification = { ...common, name, type: nth(TYPES, index, 2), settings: {}, campaign_id: index % 4 ? first : second };
    await manager.insert(Notification, { ...notification, notification_key: randomBytes(16).toString('hex') });
    const message = { title: nth(['', 'Ação', '100%'], index, 25), text: name };
    await manager.insert(Message, { account_id, ...message, content_folded: foldContent(message), url: '', datetime: times.datetime });
  }
  const [message] = await manager.findBy(Message, { account_id });
  for (let index = 0; index < 20; index++) {
    const delivery = {
      type: 'email',
      lane: 'none',
      attempts: 1,
      tries: 1,
      next_attempt: null,
      lease: null,
      started: null,
      is_counted: false,
      part: '',
    };
    const link = { message_id: message.id, handler_id: 1 + (index % 2), status: nth(STATUSES, index, 1) };
    const outcome = nth([null, 'delivered', 'timeout', 'rejected'] as const, index, 2);
    const times = { datetime: nth(TIMES, index, 1), last_datetime: nth([null, ...TIMES], index, 3) };
    const { identifiers } = await manager.insert(Delivery, { account_id, ...delivery, ...link, ...times, outcome });
    if (!outcome) continue;
    const attempt = {
      delivery_id: Number(identifiers[0].id),
      number: 1,
      datetime: times.datetime,
      duration_ms: 1,
      status: null,
      detail: '',
    };
    await manager.insert(DeliveryAttempt, { account_id, ...attempt, outcome });
  }
}

// The model: what a list should be, computed from all records.

const folded = (text: unknown) =>
  String(text)
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('ß', 'ss')
    .normalize('NFC');
/** Trailing spaces don't count. */
const stored = (text: unknown) => folded(text).replace(/ +$/, '');
const flag = (text: string) => text === '1' || text.toLowerCase() === 'true';
const time = (text: string) =>
  (/(Z|[+-]..:..)$/.test(text) ? new Date(text).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length) : text).replace('T', ' ');
const changed = (row: Row) => String(row.last_datetime ?? row.datetime);

const passes: Record<string, (row: Row, value: string) => boolean> = {
  name: (row, value) => stored(row.name).includes(folded(value)),
  text: (row, value) => [row.title, row.text].some((text) => stored(text).includes(folded(value))),
  host: (row, value) => [folded(value), ...(value === 'müller' ? ['xn--mller-kva'] : [])].some((text) => String(row.host).includes(text)),
  verification_status: (_, value) => value === 'pending',
  is_enabled: (row, value) => row.is_enabled === flag(value),
  created_from: (row, value) => String(row.datetime) >= time(value),
  created_until: (row, value) => String(row.datetime) < time(value),
  changed_since: (row, value) => changed(row) >= time(value),
};

function expected(all: readonly Row[], parameters: [string, string][]): Row[] {
  const { orderby = 'id', sort = 'asc', ...filters } = Object.fromEntries(parameters);
  const keyOf = (row: Row) => (orderby === 'name' ? stored(row.name) : row[orderby]);
  const compare = (a: Row, b: Row) => compareValues(keyOf(a), keyOf(b)) || Number(a.id) - Number(b.id);
  const matching = all.filter((row) =>
    Object.entries(filters).every(([name, value]) => passes[name]?.(row, value) ?? String(row[name]) === value),
  );
  const sorted = matching.sort(compare);
  return sort === 'desc' ? sorted.reverse() : sorted;
}

/** Null first; texts by code points. */
function compareValues(a: Row[string], b: Row[string]): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const from = (values: readonly string[]) => fc.constantFrom(...values);
const texts = from(['joao', 'JOÃO', '%', '_', '\\', "'", '"', ' ', '100%', 'ss', 'ß', 'σ', '本', '😀', 'e\u0301', 'zzz', 'o', 'a_b', '~']);
const times = from(
  ['2026-01-01', '2026-01-01 00:00:01', '2026-01-01T00:00:01', '2026-01-01 00', '2026-11-2', '2027-01-01']
    .filter(({ length }) => length >= 10)
    .concat(
      '2026-02-28 12:00',
      '2026-01-01T00:00:01Z',
      '2026-01-01T02:00:01+02:00',
      '2025-12-31T22:00:01.987-02:00',
      '2026-02-28T09:30:00-02:30',
    ),
);
const flags = from(['1', '0', 'true', 'false', 'True', 'False', 'TRUE', 'FALSE']);
const everywhere = { created_from: times, created_until: times, changed_since: times };
const order = (...names: string[]) => ({ orderby: from(['id', 'datetime', ...names]), sort: from(['asc', 'desc']) });

/** The parameters of each list, in the order of its links. */
const PARAMETERS: Record<string, Record<string, fc.Arbitrary<string>>> = {
  [DOMAINS]: {
    host: from(['shop', 'WWW', 'müller', 'xn--', 'muller', '.', 'example.com', '%', 'a-b', 'zzz']),
    scheme: from(['https://', 'http://']),
    verification_status: from(['pending', 'verified', 'failed']),
    is_enabled: flags,
    ...everywhere,
    ...order('host', 'last_datetime'),
  },
  [HANDLERS]: { name: texts, type: from([...CHANNELS, 'discord']), is_enabled: flags, ...everywhere, ...order('name', 'last_datetime') },
  [NOTIFICATIONS]: {
    name: texts,
    type: from([...TYPES, 'OTHER']),
    campaign_id: from(['1', '2', '3', '4', '2147483647']),
    notification_key: from(['0'.repeat(32), 'first']),
    is_enabled: flags,
    ...everywhere,
    ...order('name', 'last_datetime'),
  },
  [MESSAGES]: { text: fc.oneof(texts, from(['acao', 'AÇÃO', '0%'])), ...everywhere, ...order() },
  [DELIVERIES]: {
    handler_id: from(['1', '2', '3']),
    status: from([...STATUSES, 'pending']),
    outcome: from(['delivered', 'timeout', 'rejected', 'unknown']),
    ...everywhere,
    ...order(),
  },
};

test.each(Object.keys(PARAMETERS))('GET %s filters, sorts and pages as a model in memory does', async (path) => {
  const names = Object.keys(PARAMETERS[path]);
  const some = fc.record(PARAMETERS[path], { requiredKeys: [] });
  const sizes = from(['10', '25', '50']);
  await fc.assert(
    fc.asyncProperty(some, sizes, fc.integer({ min: 1, max: 4 }), async (given, size, page) => {
      const parameters = Object.entries(given).map(([name, value]): [string, string] => [
        name,
        value === 'first' ? String(rows[path][0].notification_key) : String(value),
      ]);
      const query = new URLSearchParams([...parameters, ['results_per_page', size], ['page', String(page)]]);
      const { body } = (await account.client.get(`${path}?${query.toString()}`).expect(200)) as { body: Body };
      const all = expected(rows[path], parameters);
      expect(body.data).toEqual(all.slice((page - 1) * Number(size), page * Number(size)));
      expect(body.meta.total).toBe(all.length);
      const kept = parameters.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
      const rest = kept.length > 0 ? `&${new URLSearchParams(kept).toString()}` : '';
      expect(body.links.self).toBe(
        `${PUBLIC_URL}${path === HANDLERS ? HANDLERS_READ : path}?&page=${page}&results_per_page=${size}${rest}`,
      );
    }),
    { numRuns: 60 },
  );
});

test('letters without a Unicode decomposition match their usual spelling, and vice versa: Łódź and lodz', async () => {
  const { client } = await application().createAccount();
  const names = ['Łódź', 'Đurđa', 'SØREN', 'Straße', 'Ærø', 'Þór', 'ðɪs', 'Œuvre', 'Ħal', 'Isparta ılıca'];
  for (const name of names) await client.create(HANDLERS, { name, type: 'email' });
  const found = async (name: string) =>
    ((await client.get(`${HANDLERS_READ}?${new URLSearchParams({ name }).toString()}`).expect(200)).body as Body).data.map(
      (row) => row.name,
    );
  const typed = ['lodz', 'durda', 'soren', 'STRASSE', 'aero', 'thor', 'dɪs', 'oeuvre', 'hal', 'ilica'];
  expect(await Promise.all(typed.map(found))).toEqual(names.map((name) => [name]));
  expect(await Promise.all(names.map((name) => found(name.toUpperCase())))).toEqual(names.map((name) => [name]));
});

test('both notification handler paths take the same parameters', async () => {
  const one = await account.client.get(`${HANDLERS_READ}?type=slack`).expect(200);
  expect((one.body as Body).data).toEqual(expected(rows[HANDLERS], [['type', 'slack']]));
});

test.each([
  [DOMAINS, 'scheme', 'ftp://'],
  [DOMAINS, 'verification_status', 'Verified'],
  [DOMAINS, 'host', ''],
  [DOMAINS, 'host', 'a\u0007b'],
  [DOMAINS, 'host', 'x'.repeat(129)],
  [DOMAINS, 'orderby', 'scheme'],
  [DOMAINS, 'orderby', ''],
  [DOMAINS, 'sort', 'ASC'],
  [DOMAINS, 'sort', ''],
  [DOMAINS, 'is_enabled', 'yes'],
  [DOMAINS, 'is_enabled', ''],
  [HANDLERS, 'type', 'fax'],
  [HANDLERS, 'name', 'a\nb'],
  [NOTIFICATIONS, 'type', 'lower'],
  [NOTIFICATIONS, 'campaign_id', '0'],
  [NOTIFICATIONS, 'notification_key', 'F'.repeat(32)],
  [NOTIFICATIONS, 'created_from', '2026-11'],
  [NOTIFICATIONS, 'created_from', '2026-02-30'],
  [NOTIFICATIONS, 'created_until', '2026-11-21 25'],
  [NOTIFICATIONS, 'changed_since', '2026-11-21T'.repeat(2)],
  [NOTIFICATIONS, 'created_from', '2026-11-21Z'],
  [NOTIFICATIONS, 'created_from', '2026-11-21T14:30+01:00'],
  [NOTIFICATIONS, 'created_from', '2026-02-30T10:00:00Z'],
  [NOTIFICATIONS, 'created_until', '2026-11-21T14:30:00+25:00'],
  [NOTIFICATIONS, 'created_until', '9999-12-31T23:59:59-00:01'],
  [NOTIFICATIONS, 'changed_since', '0000-01-01T00:00:00+00:01'],
  [NOTIFICATIONS, 'changed_since', '2026-11-21T14:30:00.5'],
  [MESSAGES, 'text', ''],
  [MESSAGES, 'text', 'a\nb'],
  [MESSAGES, 'text', 'x'.repeat(129)],
  [MESSAGES, 'changed_since', 'yesterday'],
  [DELIVERIES, 'created_from', ''],
])('GET %s rejects %s=%j', async (path, name, value) => {
  const response = await account.client.get(`${path}?${new URLSearchParams([[name, value]]).toString()}`);
  expectErrors(response, { code: 'invalid_parameter', source: `query.${name}` });
});

test('a time offset’s + may arrive unencoded, as a space, and the links keep it as sent', async () => {
  const read = async (value: string) =>
    (await account.client.get(`${NOTIFICATIONS}?created_from=${value}&results_per_page=10`).expect(200)).body as Body;
  const [encoded, bare] = [await read('2026-01-01T02:00:01%2B02:00'), await read('2026-01-01T02:00:01+02:00')];
  expect(encoded.meta.total).toBe(expected(rows[NOTIFICATIONS], [['created_from', '2026-01-01 00:00:01']]).length);
  expect([bare.data, bare.meta]).toEqual([encoded.data, encoded.meta]);
  expect([encoded, bare].map(({ links }) => new URL(String(links.self)).search)).toEqual([
    '?&page=1&results_per_page=10&created_from=2026-01-01T02%3A00%3A01%2B02%3A00',
    '?&page=1&results_per_page=10&created_from=2026-01-01T02%3A00%3A01+02%3A00',
  ]);
});

test('a non-ASCII host is found with and without its accents', async () => {
  const hosts = ['shop', 'xn--shp-hna', 'shq'].map((label) => `${label}.${randomBytes(6).toString('hex')}.example.com`);
  for (const host of hosts) await stranger.client.create(DOMAINS, { host });
  for (const orderby of ['id', 'host']) {
    const query = new URLSearchParams({ host: 'Shóp', created_from: '2026-06-01', orderby });
    const { body } = await stranger.client.get(`${DOMAINS}?${query.toString()}`).expect(200);
    expect((body as Body).data.map(({ host }) => host).filter((host) => hosts.includes(String(host)))).toEqual(hosts.slice(0, 2));
  }
});

test.each(['müller/shop', 'müller?', 'müller%2e', 'müller#'])('host=%s matches no domain', async (host) => {
  const { body } = await account.client.get(`${DOMAINS}?${new URLSearchParams({ host }).toString()}`).expect(200);
  expect((body as Body).meta.total).toBe(0);
});

test('a repeated filter is rejected', async () => {
  expectErrors(await account.client.get(`${HANDLERS}?type=email&type=slack`), { code: 'invalid_parameter', source: 'query.type' });
  expectErrors(await account.client.get(`${MESSAGES}?text=a&text=b`), { code: 'invalid_parameter', source: 'query.text' });
});

test.each([
  [DOMAINS, 'name'],
  [HANDLERS, 'host'],
  [NOTIFICATIONS, 'scheme'],
  [MESSAGES, 'is_enabled'],
])('GET %s rejects the unknown parameter %s', async (path, name) => {
  expectErrors(await account.client.get(`${path}?${name}=1`), { code: 'unknown_parameter', source: `query.${name}` });
});

test('a renamed handler is found by its new name only', async () => {
  const id = await stranger.client.create(HANDLERS, { name: 'Ärger', type: 'email', email: 'a@b.example' });
  const find = async (name: string) => {
    const query = new URLSearchParams({ name, orderby: 'id' });
    return ((await stranger.client.get(`${HANDLERS}?${query.toString()}`).expect(200)).body as Body).data.map((row) => row.id);
  };
  expect(await find('arger')).toEqual([id]);
  await stranger.client.post(`${HANDLERS}/${id}`, { name: 'Öfter' }).expect(200);
  expect(await find('arger')).toEqual([]);
  expect(await find('ofter')).toEqual([id]);
});
