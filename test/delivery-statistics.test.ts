import fc from 'fast-check';
import { StatisticsRepair } from '../src/deliveries/statistics/statistics-repair';
import { Retention } from '../src/deliveries/retention';
import { type TestAccount, useApplication } from './support/application';
import { createWebhook, finished, idsOf, sendMessage } from './support/deliveries';
import { expectErrors } from './support/errors';
import { answer, receiver } from './support/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from './support/records';
import { sized } from './support/size';

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

const COUNTED = Object.entries({ status: 'status', outcome: "COALESCE(outcome, '')", handler: 'handler_id' })
  .map(([kind, value]) => [`account_id, SUBSTR(datetime, 1, 13), '${kind}', ${value}`, `account_id, SUBSTR(datetime, 1, 13), ${value}`])
  .map(([name, group]) => `SELECT CONCAT_WS(' ', ${name}) AS name, COUNT(*) AS number FROM deliveries GROUP BY ${group}`)
  .join(' UNION ALL ');
const KEPT = `SELECT CONCAT_WS(' ', account_id, hour, kind, value) AS name, SUM(number) AS number FROM delivery_statistics
  GROUP BY account_id, hour, kind, value HAVING SUM(number) <> 0`;

/** Compares the counters with the deliveries, of all accounts. */
async function expectExact(): Promise<void> {
  const rows = async (sql: string) => {
    const found = await application().dataSource.query<{ name: string; number: number | string }[]>(sql);
    return found.map(({ name, number }) => `${name}: ${number}`).sort();
  };
  expect(await rows(KEPT)).toEqual(await rows(COUNTED));
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
  await expectExact();
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
  await application().dataSource.query(
    `UPDATE delivery_statistics SET hour = '2026-03-01 23' WHERE account_id = ${account.id}`, // as if sent then
  );
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
  await application().app.get(StatisticsRepair).run(new AbortController().signal); // counts this hour's again only later
  await application().dataSource.query(`DELETE FROM delivery_statistics WHERE account_id = ${account.id}`);
  await application().dataSource.query(`DELETE FROM deliveries WHERE account_id = ${account.id}`);
});

test('a bucket may have thousands of keys', async () => {
  const ids = Array.from({ length: 3_000 }, (_, index) => 1_000_000 + index);
  const rows = ids.map((id) => `(${account.id}, 'handler', '2026-03-01 23', '${id}', 0, ${id})`);
  const { dataSource } = application();
  await dataSource.query(`INSERT INTO delivery_statistics (account_id, kind, hour, value, shard, number) VALUES ${rows.join(', ')}`);
  const { keys, buckets } = await read('group=handler&interval=day&from=2026-03-01&until=2026-03-02');
  expect([keys, buckets]).toEqual([ids.map(String), [{ datetime: '2026-03-01 00:00:00', counts: ids }]]);
  await dataSource.query(`DELETE FROM delivery_statistics WHERE account_id = ${account.id}`);
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

/** What may happen to an account's deliveries; each takes a number that chooses which. */
const STEPS = {
  send: (choice: number) => sendMessage(account, choice % 2 ? handlers : [handlers[0]]),
  sendLater: () => sendMessage(account, handlers, LATER),
  expire: () => sendMessage(account, handlers, { ...LATER, send_at: soon(150), expires_at: soon(200) }),
  answer: (choice: number) => Promise.resolve((receiver.answer = answer([200, 410, 500][choice % 3]))),
  retryOne: async (choice: number) => {
    const failed = await idsOf(account, `${DELIVERIES}?status=failed`);
    if (failed.length > 0) await account.client.post(`${DELIVERIES}/${failed[choice % failed.length]}/retry`);
  },
  retryAll: () => account.client.post(`${DELIVERIES}/retry`, { status: 'failed' }),
  cancel: async (choice: number) => {
    const messages = await idsOf(account, MESSAGES);
    if (messages.length > 0) await account.client.post(`${MESSAGES}/${messages[choice % messages.length]}/cancellation`);
  },
  toggle: (choice: number) => account.client.post(`${HANDLERS}/${handlers[1]}`, { is_enabled: String(choice % 2) }),
};
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

const step = fc.record({ name: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])), choice: fc.nat(99) });

async function take({ name, choice }: { name: keyof typeof STEPS; choice: number }): Promise<void> {
  await Promise.resolve(STEPS[name](choice)).catch((error: Error) => {
    if (!error.message.includes(' answered 4')) throw error; // a disabled handler, or a time that has passed
  });
}

test('after anything, the counters are those of the deliveries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      for (const each of steps) await take(each);
      await settled();
      await expectExact();
    }),
    { seed: jest.getSeed(), numRuns: sized(3, 20), endOnFailure: true },
  );
});

test('fifty at once count exactly', async () => {
  const steps = fc.sample(step, { seed: jest.getSeed(), numRuns: 50 });
  await Promise.all(steps.map(take));
  await settled();
  await expectExact();
});

test('what is deleted counts no more', async () => {
  const [id] = await sendMessage(account, [handlers[0]]);
  await finished(account, id);
  await application().dataSource.query(`UPDATE messages SET datetime = '2020-01-01 00:00:00' WHERE account_id = ${account.id}`);
  await application().dataSource.query(`UPDATE deliveries SET last_datetime = '2020-01-01 00:00:00' WHERE id = ${id}`);
  await application().app.get(Retention).sweep(new AbortController().signal);
  expect(await sums('status')).toEqual({});
  await expectExact();
});

test('what a process of the previous version has changed is counted again', async () => {
  await sendMessage(account, handlers, LATER);
  const { dataSource, app } = application();
  await dataSource.query(`UPDATE deliveries SET datetime = '2026-03-01 23:10:00', outcome = 'timeout' WHERE account_id = ${account.id}`);
  await dataSource.query(`UPDATE delivery_statistics SET hour = '2026-03-01 23' WHERE account_id = ${account.id}`);
  expect(await app.get(StatisticsRepair).run(new AbortController().signal)).toBe(1);
  await expectExact();
  expect(await app.get(StatisticsRepair).run(new AbortController().signal)).toBe(0);
});

test('shards of past hours are joined, and what is 0 is dropped', async () => {
  await sendMessage(account, handlers, LATER);
  const { dataSource, app } = application();
  await dataSource.query(`UPDATE deliveries SET datetime = '2026-03-01 23:10:00' WHERE account_id = ${account.id}`);
  await dataSource.query(`UPDATE delivery_statistics SET hour = '2026-03-01 23' WHERE account_id = ${account.id}`);
  const added = [`'status', '2026-03-01 23', 'pending', 98, -3`, `'status', '2026-03-01 23', 'pending', 99, 3`];
  for (const counter of [...added, `'status', '2026-03-01 23', 'failed', 99, 0`])
    await dataSource.query(
      `INSERT INTO delivery_statistics (account_id, kind, hour, value, shard, number) VALUES (${account.id}, ${counter})`,
    );
  expect(await app.get(StatisticsRepair).run(new AbortController().signal)).toBe(0);
  const counters = await dataSource.query<{ value: string; number: number | string }[]>(
    `SELECT value, number FROM delivery_statistics WHERE account_id = ${account.id} AND kind = 'status'`,
  );
  expect(counters.map(({ value, number }) => [value, Number(number)])).toEqual([['pending', 2]]);
  await expectExact();
});

test('a repair beside another, and beside changes, counts once', async () => {
  const { dataSource, app } = application();
  const ids = await sendMessage(account, handlers, LATER);
  await dataSource.query(`UPDATE deliveries SET datetime = '2026-03-01 23:10:00' WHERE account_id = ${account.id}`);
  await dataSource.query(`DELETE FROM delivery_statistics WHERE account_id = ${account.id}`);
  const messages = await idsOf(account, MESSAGES);
  const repairs = Array.from({ length: 3 }, () => app.get(StatisticsRepair).run(new AbortController().signal));
  const cancellations = messages.map((id) => account.client.post(`${MESSAGES}/${id}/cancellation`));
  await Promise.all([...repairs, ...cancellations]);
  expect(ids).toHaveLength(2);
  await expectExact();
});

/** Until nothing is under way: what is still pending is due later. */
async function settled(): Promise<void> {
  for (;;) {
    const [{ number }] = await application().dataSource.query<{ number: number | string }[]>(
      `SELECT COUNT(*) AS number FROM deliveries WHERE status = 'pending' AND (lease IS NOT NULL OR next_attempt < ${Date.now() + 3_600_000})`,
    );
    if (Number(number) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
