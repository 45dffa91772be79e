/** @mysql whole */
import { setTimeout as pause } from 'node:timers/promises';
import { Delivery } from '../../src/deliveries/delivery.entity';
import { Retention } from '../../src/messages/retention';
import { Dialect } from '../../src/platform/database/dialect';
import { Schedule } from '../../src/platform/jobs/schedule';
import { Metrics } from '../../src/platform/observability/metrics';
import { type TestAccount, type TestApplication, useApplication, withApplication } from '../support/http/application';
import { holdClock } from '../support/jest/clock';
import { createDatabase } from '../support/servers/database';
import { createWebhook, deliveryWhen, finished, pageOf, readDelivery, sendMessage } from '../support/areas/deliveries';
import { expectErrors } from '../support/http/errors';
import { freePort } from '../support/servers/free-port.cjs';
import { insertRows } from '../support/areas/insert-rows';
import { answer, receiver } from '../support/servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../support/areas/records';

const DAY_MS = 86_400_000;

describe('DELIVERY_DAILY_LIMIT', () => {
  /** Far from midnight, so that the day does not change during a test. */
  const NOON = Date.UTC(2026, 10, 21, 12);
  const LIMITS = { DELIVERY_DAILY_LIMIT: 'webhook=3,discord=0' };

  const { application, database } = useApplication(LIMITS);
  let account: TestAccount;
  let handler: number;

  beforeEach(async () => {
    jest.spyOn(Date, 'now').mockReturnValue(NOON);
    account = await application().createAccount();
    handler = await createWebhook(account, receiver.url('/hook'));
  });

  const outcomeOf = async (id: number) => {
    const { status, log } = await finished(account, id);
    return `${status}, ${log.at(-1)?.outcome}`;
  };
  const deliver = async (id: number) => outcomeOf((await sendMessage(account, [id]))[0]);
  const deliverTimes = async (id: number, count: number) => {
    const outcomes: string[] = [];
    while (outcomes.length < count) outcomes.push(await deliver(id));
    return outcomes;
  };
  const testOnce = async (id: number, { client } = account) => {
    const { body } = await client.post(`${HANDLERS}/${id}/test`).expect(200);
    return (body as { data: { outcome: string; detail: string } }).data;
  };
  const testTimes = async (count: number, use = account) => {
    const outcomes: string[] = [];
    while (outcomes.length < count) outcomes.push((await testOnce(handler, use)).outcome);
    return outcomes;
  };
  const DELIVERED = 'delivered, delivered';
  const OVER = 'failed, daily_limit';
  const detail = 'The account has used up the daily limit for this handler type.';

  test('deliveries beyond the daily limit fail, counted over all handlers of the type', async () => {
    const other = await createWebhook(account, receiver.url('/other'));
    const clock = holdClock(application());
    expect(await deliver(handler)).toEqual(DELIVERED);
    expect(await deliver(other)).toEqual(DELIVERED);
    const ids = await sendMessage(account, [handler, other]);
    expect([await outcomeOf(ids[0]), await outcomeOf(ids[1])].sort()).toEqual([DELIVERED, OVER]);
    expect(receiver.requests).toHaveLength(3);

    const stranger = await application().createAccount();
    const [theirs] = await sendMessage(stranger, [await createWebhook(stranger, receiver.url())]);
    expect(await finished(stranger, theirs)).toMatchObject({ status: 'delivered' });

    const [over] = await sendMessage(account, [handler]);
    expect((await finished(account, over)).log).toEqual([expect.objectContaining({ number: 1, status: null, detail })]);
    clock.move(DAY_MS);
    await account.client.post(`${DELIVERIES}/${over}/retry`).expect(200);
    expect(await outcomeOf(over)).toEqual(DELIVERED);
    expect(await deliverTimes(handler, 3)).toEqual([DELIVERED, DELIVERED, OVER]); // the retried one counts
  });

  test('a delivery counts once, however often it is attempted or retried', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const [id] = await sendMessage(account, [handler]);
    for (const count of [1, 2, 3, 4]) {
      await deliveryWhen(account, id, ({ log }) => log.length === count);
      clock.move(600_000 * 1.1);
    }
    receiver.answer = answer(410);
    await finished(account, id);
    receiver.reset();
    await account.client.post(`${DELIVERIES}/${id}/retry`).expect(200);
    expect(await outcomeOf(id)).toEqual(DELIVERED);
    expect(await deliverTimes(handler, 3)).toEqual([DELIVERED, DELIVERED, OVER]);
  });

  test('tests count towards the limit and are subject to it', async () => {
    expect((await testOnce(handler)).outcome).toBe('delivered');
    expect(await deliverTimes(handler, 3)).toEqual([DELIVERED, DELIVERED, OVER]);
    expect(await testOnce(handler)).toMatchObject({ outcome: 'daily_limit', detail });
    expect(receiver.requests).toHaveLength(3);
  });

  test('a limit of 0 disables a type, and a type without a limit is unlimited', async () => {
    const discord = await account.client.create(HANDLERS, { name: 'Discord', type: 'discord', discord: receiver.url('/discord') });
    expect([await deliver(discord), (await testOnce(discord)).outcome]).toEqual([OVER, 'daily_limit']);
    const teams = await account.client.create(HANDLERS, {
      name: 'Teams',
      type: 'microsoft_teams',
      microsoft_teams: receiver.url('/teams'),
    });
    expect(await deliverTimes(teams, 4)).toEqual(Array(4).fill(DELIVERED));
  });

  test('processes share the daily count, and rejected deliveries do not count', async () => {
    expect(await testTimes(2)).toEqual(['delivered', 'delivered']);
    const raised = { ...database().env, DELIVERY_DAILY_LIMIT: 'webhook=4', DELIVERY_CONCURRENCY: '0' };
    await withApplication(raised, async (other) => {
      const there = { ...account, client: other.client(account.key) };
      expect(await testTimes(1, there)).toEqual(['delivered']);
      expect(await deliverTimes(handler, 2)).toEqual([OVER, OVER]);
      expect(await testTimes(2, there)).toEqual(['delivered', 'daily_limit']);
    });
  });

  test('a delivery cancelled before its first attempt does not count', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(429, { 'Retry-After': '60' });
    const [first] = await sendMessage(account, [handler]);
    await deliveryWhen(account, first, ({ log }) => log.length === 1);
    const [waiting] = await sendMessage(account, [handler]);
    expect(await readDelivery(account, waiting)).toMatchObject({ attempts: 0 });
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
    receiver.reset();
    clock.move(61_000);
    expect(await finished(account, waiting)).toMatchObject({ status: 'cancelled', attempts: 0, log: [] });
    const other = await createWebhook(account, receiver.url('/other'));
    expect(await deliverTimes(other, 2)).toEqual([DELIVERED, DELIVERED]);
  });
});

describe('GET /api/deliveries/statistics', () => {
  const { application } = useApplication({ DELIVERY_WAITS: '1' });
  let account: TestAccount;
  let handlers: number[];

  beforeEach(async () => {
    account = await application().createAccount();
    handlers = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
  });

  const STATISTICS = `${DELIVERIES}/statistics`;
  const LATER = { send_at: new Date(Date.now() + DAY_MS).toISOString() };

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

  /** The sum over all buckets, by key; zeros are omitted. */
  async function sums(group: string): Promise<Record<string, number>> {
    const { keys, buckets } = await read(`group=${group}`);
    const total = (index: number) => buckets.reduce((sum, { counts }) => sum + counts[index], 0);
    return Object.fromEntries(keys.map((key, index) => [key, total(index)]).filter(([, count]) => count !== 0));
  }

  test('statistics are grouped by status, outcome or handler', async () => {
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

  test('statistics count only the account’s deliveries and require messages:read', async () => {
    await sendMessage(account, handlers, LATER);
    const stranger = await application().createAccount();
    const { keys, buckets } = await read('group=handler', stranger);
    expect([keys, buckets.length]).toEqual([[], 24]);
    const scoped = await application().createAccount({ scopes: ['domains:read'] });
    expectErrors(await scoped.client.get(STATISTICS), { code: 'insufficient_scope', source: 'header.Authorization' });
  });

  test('statistics have buckets of hours or days in UTC, including empty ones', async () => {
    await sendMessage(account, handlers, LATER);
    await application().dataSource.query(`UPDATE deliveries SET datetime = '2026-03-01 23:10:00' WHERE account_id = ${account.id}`);
    const hours = await read('from=2026-03-01T22:30&until=2026-03-02 00:00:01');
    expect(await read('from=2026-03-01T22:30:00Z&until=2026-03-02T02:00:01+02:00')).toEqual(hours);
    expect(hours).toEqual({
      from: '2026-03-01 22:00:00',
      until: '2026-03-02 01:00:00',
      interval: 'hour',
      group: 'status',
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

  test('statistics may have thousands of handlers', async () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => 1_000_000 + index);
    const { dataSource } = application();
    await sendMessage(account, [handlers[0]], LATER);
    const [sent] = await dataSource.query<object[]>(`SELECT * FROM deliveries WHERE account_id = ${account.id}`);
    const rows = ids.map((handler_id) => ({ ...sent, id: null, handler_id, datetime: '2026-03-01 23:10:00' }));
    await insertRows(dataSource, Delivery, [...rows, rows[0]]);
    const { keys, buckets } = await read('group=handler&interval=day&from=2026-03-01&until=2026-03-02');
    expect([keys, buckets]).toEqual([ids.map(String), [{ datetime: '2026-03-01 00:00:00', counts: [2, ...ids.slice(1).map(() => 1)] }]]);
  });

  test('statistics default to the last 24 hours by hour, or 30 days by day', async () => {
    const [hours, days] = [await read(), await read('interval=day')];
    expect([hours.buckets.length, days.buckets.length]).toEqual([24, 30]);
    expect(hours.until > new Date().toISOString().slice(0, 19).replace('T', ' ')).toBe(true);
    expect(days.until).toMatch(/ 00:00:00$/);
  });

  test.each([
    ['from=2026-03-01&until=2026-03-01', 'until'],
    ['interval=day&from=2020-01-01&until=2026-01-01', 'until'],
    ['interval=week', 'interval'],
    ['group=type', 'group'],
    ['from=2026-02-30', 'from'],
    ['until=tomorrow', 'until'],
    ['from=', 'from'],
  ])('rejects %s', async (query, name) => {
    expectErrors(await account.client.get(`${STATISTICS}?${query}`), { code: 'invalid_parameter', source: `query.${name}` });
  });

  test('statistics have at most 800 buckets', async () => {
    expect((await read('from=2026-01-01&until=2026-02-03 08')).buckets).toHaveLength(800);
    const refused = await account.client.get(`${STATISTICS}?from=2026-01-01&until=2026-02-03 09`);
    expectErrors(refused, { code: 'invalid_parameter', source: 'query.until', detail: /at most 800 hours/ });
  });

  const isCount = ([sql]: [string, ...unknown[]]) => /COUNT\(\*\) FROM deliveries .*GROUP BY/.test(sql);

  test('statistics are cached for a minute per account', async () => {
    const clock = holdClock(application());
    const stranger = await application().createAccount();
    const [from, until] = [-1, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10));
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

  test('an account’s statistics queries run one at a time, and identical requests share one', async () => {
    const dialect = application().app.get(Dialect);
    const original = dialect.read.bind(dialect);
    let [atWork, most, all] = [0, 0, 0];
    jest.spyOn(dialect, 'read').mockImplementation(async (...given) => {
      if (!isCount(given)) return original(...given);
      most = Math.max(most, ++atWork);
      all++;
      await pause(20);
      return original(...given).finally(() => atWork--);
    });
    await Promise.all(
      ['hour', 'day', 'hour'].flatMap((interval) => ['status', 'outcome'].map((group) => read(`interval=${interval}&group=${group}`))),
    );
    expect([most, all]).toEqual([1, 4]);
  });

  test('failed statistics are not cached', async () => {
    const dialect = application().app.get(Dialect);
    const original = dialect.read.bind(dialect);
    let failures = 0;
    jest.spyOn(dialect, 'read').mockImplementation((...given) => {
      return isCount(given) && failures++ === 0 ? Promise.reject(new Error('the database is away')) : original(...given);
    });
    await account.client.get(STATISTICS).expect(500);
    expect((await read()).buckets).toHaveLength(24);
  });
});

describe('delivery metrics', () => {
  const METRIC = /^(frontdesk_deliver\S*(?:\{.*\})?) (\S+)$/gm;

  /** Runs work with an application on its own database, and a function that reads its delivery metrics. */
  async function withMetrics(
    env: Record<string, string>,
    work: (application: TestApplication, read: () => Promise<Record<string, number>>) => Promise<void>,
  ): Promise<void> {
    const own = await createDatabase();
    try {
      await withApplication({ ...own.env, METRICS_PORT: String(await freePort()), ...env }, (application) =>
        work(application, async () => {
          const samples = (await application.app.get(Metrics).registry.metrics()).matchAll(METRIC);
          return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
        }),
      );
    } finally {
      await own.drop();
    }
  }

  test('metrics count attempts, tests and failed deliveries by type and outcome', async () => {
    await withMetrics({ DELIVERY_WAITS: '0' }, async (application, read) => {
      expect(await read()).toMatchObject({ frontdesk_deliveries_pending: 0, frontdesk_deliveries_late_seconds: 0 });
      const account = await application.createAccount();
      const [handler, other] = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
      for (const status of [200, 503, 410]) {
        receiver.answer = answer(status);
        await finished(account, (await sendMessage(account, [handler]))[0]);
      }
      await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
      const mail = await account.client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'a@example.com' });
      await finished(account, (await sendMessage(account, [mail]))[0]);
      await sendMessage(account, [other], { send_at: new Date(Date.now() + DAY_MS).toISOString() });
      const counted = Object.entries(await read()).filter(([name]) => /_total|_count|pending/.test(name));
      expect(Object.fromEntries(counted)).toEqual({
        'frontdesk_deliveries_total{type="webhook",outcome="delivered"}': 1,
        'frontdesk_deliveries_total{type="webhook",outcome="server_error"}': 2,
        'frontdesk_deliveries_total{type="webhook",outcome="rejected"}': 2,
        'frontdesk_deliveries_total{type="email",outcome="not_configured"}': 1,
        'frontdesk_deliveries_failed_total{type="webhook",outcome="server_error"}': 1,
        'frontdesk_deliveries_failed_total{type="webhook",outcome="rejected"}': 1,
        'frontdesk_deliveries_failed_total{type="email",outcome="not_configured"}': 1,
        'frontdesk_delivery_attempt_seconds_count{type="webhook"}': 5,
        'frontdesk_delivery_attempt_seconds_count{type="email"}': 1,
        frontdesk_deliveries_pending: 1,
      });
    });
  });

  test('metrics report pending deliveries and how late the oldest is', async () => {
    await withMetrics({ DELIVERY_CONCURRENCY: '0' }, async (application, read) => {
      const account = await application.createAccount();
      const clock = holdClock(application);
      const handlers = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
      await sendMessage(account, handlers);
      clock.move(90_500);
      await sendMessage(account, handlers);
      expect(await read()).toMatchObject({ frontdesk_deliveries_pending: 4, frontdesk_deliveries_late_seconds: 90.5 });
    });
  });
});

describe('delivery retention', () => {
  /** Failed attempts are retried after two days. */
  const { application } = useApplication({
    DELIVERY_KEEP_DAYS: '1',
    DELIVERY_WAITS: '172800',
    DELIVERY_DAILY_LIMIT: 'webhook=100000',
  });
  let account: TestAccount;

  beforeEach(async () => {
    account = await application().createAccount();
  });

  const sweep = () => application().app.get(Retention).sweep(new AbortController().signal);
  const countOf = async (table: string) => {
    const [{ count }] = await application().dataSource.query<{ count: number | string }[]>(
      `SELECT COUNT(*) AS count FROM ${table} WHERE account_id = ?`,
      [account.id],
    );
    return Number(count);
  };
  const query = (sql: string) => application().dataSource.query<unknown>(sql);
  const messageOf = async (delivery: number) => (await readDelivery(account, delivery)).message_id;

  test('finished deliveries, attempts and messages are deleted a day after the last change', async () => {
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [await createWebhook(account, receiver.url())]);
    const { message_id } = await finished(account, id);
    clock.move(DAY_MS);
    await sweep();
    await account.client.get(`${DELIVERIES}/${id}`).expect(200);
    clock.move(1_000);
    await sweep();
    await account.client.get(`${DELIVERIES}/${id}`).expect(404);
    await account.client.get(`${MESSAGES}/${message_id}`).expect(404);
    for (const path of [MESSAGES, DELIVERIES]) expect(await pageOf(account, path)).toMatchObject({ data: [], meta: { total: 0 } });
    expect(await countOf('delivery_attempts')).toBe(0);
  });

  test('deliveries are kept while one of their message is pending', async () => {
    const clock = holdClock(application());
    receiver.answer = (response, request) => answer(request.path === '/503' ? 503 : 200)(response, request);
    const handlers = [await createWebhook(account, receiver.url('/200')), await createWebhook(account, receiver.url('/503'))];
    const [delivered, pending] = await sendMessage(account, handlers);
    await finished(account, delivered);
    await deliveryWhen(account, pending, ({ log }) => log.length === 1);
    const message = await messageOf(pending);
    clock.move(DAY_MS + 1_000);
    await sweep();
    expect(await readDelivery(account, delivered)).toMatchObject({ status: 'delivered', log: [{ number: 1 }] });
    expect(await readDelivery(account, pending)).toMatchObject({ status: 'pending', log: [{ number: 1 }] });
    const { body } = await account.client.get(`${MESSAGES}/${message}`).expect(200);
    expect(body).toMatchObject({ data: { deliveries: { pending: 1, delivered: 1, failed: 0, cancelled: 0 } } });

    receiver.reset();
    clock.move(2 * DAY_MS);
    await finished(account, pending);
    await sweep();
    await account.client.get(`${DELIVERIES}/${pending}`).expect(200);
    clock.move(DAY_MS + 1_000);
    await sweep();
    await account.client.get(`${MESSAGES}/${message}`).expect(404);
  });

  test('a retry keeps a delivery for another day', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(410);
    const [id] = await sendMessage(account, [await createWebhook(account, receiver.url())]);
    await finished(account, id);
    clock.move(DAY_MS - 1_000);
    await account.client.post(`${DELIVERIES}/${id}/retry`).expect(200);
    expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 2 });
    clock.move(DAY_MS);
    await sweep();
    expect(await readDelivery(account, id)).toMatchObject({ status: 'failed', log: [{ number: 1 }, { number: 2 }] });
    clock.move(1_000);
    await sweep();
    await account.client.get(`${DELIVERIES}/${id}`).expect(404);
  });

  test('one sweep deletes more than fits a transaction, and keeps newer records', async () => {
    const clock = holdClock(application());
    const handler = await createWebhook(account, receiver.url());
    const [id] = await sendMessage(account, [handler]);
    const { message_id } = await finished(account, id);
    const columns =
      'account_id, message_id, handler_id, type, lane, status, attempts, tries, next_attempt, is_counted, part, last_datetime, datetime';
    for (let count = 1; count < 1_200; count *= 2) {
      await query(`INSERT INTO deliveries (${columns}) SELECT ${columns} FROM deliveries WHERE message_id = ${message_id}`);
    }
    const texts = 'account_id, title, text, url, datetime';
    for (let count = 1; count < 250; count *= 2) {
      await query(`INSERT INTO messages (${texts}) SELECT ${texts} FROM messages WHERE account_id = ${account.id}`);
    }
    expect([await countOf('deliveries'), await countOf('messages')]).toEqual([2_048, 256]);
    clock.move(DAY_MS + 1_000);
    const [newer] = await sendMessage(account, [handler]);
    await finished(account, newer);
    await sweep();
    expect([await countOf('deliveries'), await countOf('messages'), await countOf('delivery_attempts')]).toEqual([1, 1, 1]);
    await account.client.get(`${DELIVERIES}/${newer}`).expect(200);
  });

  test('a slow receiver’s lane is kept as long as its deliveries', async () => {
    const clock = holdClock(application());
    const handler = await createWebhook(account, receiver.url());
    await finished(account, (await sendMessage(account, [handler]))[0]);
    await application().dataSource.query('UPDATE delivery_lanes SET is_slow = 1, last_ms = 2000');
    await sweep();
    expect(await countOf('delivery_lanes')).toBe(1);
    clock.move(DAY_MS + 1_000);
    await sweep();
    expect(await countOf('delivery_lanes')).toBe(0);
  });

  test('unused lanes and quota counts are deleted, and recreated when needed', async () => {
    const clock = holdClock(application());
    const handler = await createWebhook(account, receiver.url());
    await finished(account, (await sendMessage(account, [handler]))[0]);
    await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
    const counts = () => Promise.all(['delivery_lanes', 'quota_counts'].map(countOf));
    expect(await counts()).toEqual([1, 2]);
    clock.move(2 * DAY_MS);
    await application().app.get(Schedule).runDue();
    expect(await counts()).toEqual([0, 0]);
    const [id] = await sendMessage(account, [handler]);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered' });
  });
});
