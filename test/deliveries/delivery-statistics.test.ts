// Runs on SQLite; in the whole run, on MySQL too.
import { Delivery } from '../../src/deliveries/delivery.entity';
import { Dialect } from '../../src/platform/database/dialect';
import { type TestAccount, useApplication } from '../support/application';
import { holdClock } from '../support/clock';
import { createWebhook, finished, sendMessage } from '../support/deliveries';
import { expectErrors } from '../support/errors';
import { insertRows } from '../support/insert-rows';
import { answer, receiver } from '../support/receiver';
import { DELIVERIES } from '../support/records';

const { application } = useApplication({ DELIVERY_WAITS: '1' });
let account: TestAccount;
let handlers: number[];

beforeEach(async () => {
  account = await application().createAccount();
  handlers = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
});

const STATISTICS = `${DELIVERIES}/statistics`;
const LATER = { send_at: new Date(Date.now() + 86_400_000).toISOString() };

interface Body {
  from: string;
  until: string;
  interval: string;
  group: string;
  keys: string[];
  buckets: { datetime: string; counts: number[] }[];
}

async function read(query = '', { client } = account): Promise<Body> {
  return ((await client.get(`${STATISTICS}?${query}`).expect(200)).body as { data: Body }).data;
}

/** The sum over all buckets, by key; keys without any are left out. */
async function sums(group: string): Promise<Record<string, number>> {
  const { keys, buckets } = await read(`group=${group}`);
  const total = (index: number) => buckets.reduce((sum, { counts }) => sum + counts[index], 0);
  return Object.fromEntries(keys.map((key, index) => [key, total(index)]).filter(([, count]) => count !== 0));
}

test('counts are told apart by status, outcome or handler', async () => {
  const [first] = await sendMessage(account, [handlers[0]]);
  await finished(account, first);
  receiver.answer = answer(410);
  const [second] = await sendMessage(account, [handlers[1]]);
  await finished(account, second);
  await sendMessage(account, handlers, LATER);
  expect(await sums('status')).toEqual({ pending: 2, delivered: 1, failed: 1 });
  expect(await sums('outcome')).toEqual({ none: 2, delivered: 1, rejected: 1 });
  expect(await sums('handler')).toEqual({ [handlers[0]]: 2, [handlers[1]]: 2 });
  expect((await read('group=status')).keys).toEqual(['pending', 'delivered', 'failed', 'cancelled']);
});

test('another account sees nothing of them', async () => {
  await sendMessage(account, handlers, LATER);
  const stranger = await application().createAccount();
  const { keys, buckets } = await read('group=handler', stranger);
  expect([keys, buckets.length]).toEqual([[], 24]);
  const scoped = await application().createAccount({ scopes: ['domains:read'] });
  expectErrors(await scoped.client.get(STATISTICS), { code: 'insufficient_scope', source: 'header.Authorization' });
});

test('buckets are hours or days in UTC, empty ones included', async () => {
  await sendMessage(account, handlers, LATER);
  await application().dataSource.query(`UPDATE deliveries SET datetime = '2026-03-01 23:10:00' WHERE account_id = ${account.id}`);
  const hours = await read('from=2026-03-01T22:30&until=2026-03-02 00:00:01');
  expect(hours).toEqual({
    ...{ from: '2026-03-01 22:00:00', until: '2026-03-02 01:00:00', interval: 'hour', group: 'status' },
    keys: ['pending', 'delivered', 'failed', 'cancelled'],
    buckets: [
      { datetime: '2026-03-01 22:00:00', counts: [0, 0, 0, 0] },
      { datetime: '2026-03-01 23:00:00', counts: [2, 0, 0, 0] },
      { datetime: '2026-03-02 00:00:00', counts: [0, 0, 0, 0] },
    ],
  });
  const days = await read('from=2026-02-28&until=2026-03-03&interval=day');
  expect(days.buckets.map(({ datetime, counts }) => [datetime, counts[0]])).toEqual([
    ['2026-02-28 00:00:00', 0],
    ['2026-03-01 00:00:00', 2],
    ['2026-03-02 00:00:00', 0],
  ]);
});

test('a bucket may have thousands of keys', async () => {
  const ids = Array.from({ length: 3_000 }, (_, index) => 1_000_000 + index);
  const { dataSource } = application();
  await sendMessage(account, [handlers[0]], LATER);
  const [sent] = await dataSource.query<object[]>(`SELECT * FROM deliveries WHERE account_id = ${account.id}`);
  const rows = ids.map((handler_id) => ({ ...sent, id: null, handler_id, datetime: '2026-03-01 23:10:00' }));
  await insertRows(dataSource, Delivery, [...rows, rows[0]]);
  const { keys, buckets } = await read('group=handler&interval=day&from=2026-03-01&until=2026-03-02');
  expect([keys, buckets]).toEqual([ids.map(String), [{ datetime: '2026-03-01 00:00:00', counts: [2, ...ids.slice(1).map(() => 1)] }]]);
});

test('by default, the last 24 hours, or 30 days', async () => {
  const [hours, days] = [await read(), await read('interval=day')];
  expect([hours.buckets.length, days.buckets.length]).toEqual([24, 30]);
  expect(hours.until > new Date().toISOString().slice(0, 19).replace('T', ' ')).toBe(true);
  expect(days.until).toMatch(/ 00:00:00$/);
});

test.each([
  ['from=2026-03-01&until=2026-03-01', 'until'],
  ['from=2026-03-02&until=2026-03-01', 'until'],
  ['from=2026-01-01&until=2026-02-03 09', 'until'],
  ['interval=day&from=2020-01-01&until=2026-01-01', 'until'],
  ['interval=week', 'interval'],
  ['group=type', 'group'],
  ['from=2026-02-30', 'from'],
  ['until=tomorrow', 'until'],
  ['from=', 'from'],
])('%s is refused', async (query, name) => {
  expectErrors(await account.client.get(`${STATISTICS}?${query}`), { code: 'invalid_parameter', source: `query.${name}` });
});

test('800 buckets are the most', async () => {
  expect((await read('from=2026-01-01&until=2026-02-03 08')).buckets).toHaveLength(800);
  const refused = await account.client.get(`${STATISTICS}?from=2026-01-01&until=2026-02-03 09`);
  expectErrors(refused, { code: 'invalid_parameter', source: 'query.until', detail: /at most 800 hours/ });
});

const isCount = ([sql]: [string, ...unknown[]]) => /COUNT\(\*\) FROM deliveries .*GROUP BY/.test(sql);

test('a count is kept for a minute, for its account alone', async () => {
  const clock = holdClock(application());
  const stranger = await application().createAccount();
  const [from, until] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const pending = async (by = account) => {
    const { buckets } = await read(`interval=day&from=${from}&until=${until}`, by);
    return buckets.reduce((sum, { counts }) => sum + counts[0], 0);
  };
  expect([await pending(), await pending(stranger)]).toEqual([0, 0]);
  await sendMessage(account, handlers, LATER);
  clock.move(59_000);
  expect(await pending()).toBe(0);
  expect(await sums('status')).toEqual({ pending: 2 }); // another count
  clock.move(1_000);
  expect([await pending(), await pending(stranger)]).toEqual([2, 0]);
});

test('an account’s counts run one at a time; requests for the same one share it', async () => {
  const dialect = application().app.get(Dialect);
  const original = dialect.read.bind(dialect);
  let [atWork, most, all] = [0, 0, 0];
  jest.spyOn(dialect, 'read').mockImplementation(async (...given) => {
    if (!isCount(given)) return original(...given);
    most = Math.max(most, ++atWork);
    all++;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return original(...given).finally(() => atWork--);
  });
  await Promise.all(
    ['hour', 'day', 'hour'].flatMap((interval) => ['status', 'outcome'].map((group) => read(`interval=${interval}&group=${group}`))),
  );
  expect([most, all]).toEqual([1, 4]);
});

test('a count that fails is not kept', async () => {
  const dialect = application().app.get(Dialect);
  const original = dialect.read.bind(dialect);
  let failures = 0;
  jest.spyOn(dialect, 'read').mockImplementation((...given) => {
    return isCount(given) && failures++ === 0 ? Promise.reject(new Error('the database is away')) : original(...given);
  });
  await account.client.get(STATISTICS).expect(500);
  expect((await read()).buckets).toHaveLength(24);
});
