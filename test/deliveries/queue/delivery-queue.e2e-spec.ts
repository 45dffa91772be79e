/** @mysql always */
import Libsql from 'libsql';
import { Account } from '../../../src/auth/accounts/account.entity';
import { Clock } from '../../../src/platform/common/clock';
import { Dialect } from '../../../src/platform/database/dialect';
import { Claimer } from '../../../src/deliveries/queue/claimer';
import { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue';
import { DeliveryLane, LaneTable } from '../../../src/deliveries/queue/lane';
import { Slots } from '../../../src/deliveries/queue/slots';
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError } from '../../../src/platform/outbound/outbound-request';
import { type TestAccount, TestApplication, useApplication } from '../../support/http/application';
import { holdClock, until } from '../../support/jest/clock';
import { createWebhook, deliveryWhen, finished, readDelivery, sendMessage, nextDeliveryCycle } from '../../support/areas/deliveries';
import { onMysql } from '../../support/servers/database';
import { receiver } from '../../support/servers/receiver';
import { insertRows } from '../../support/areas/insert-rows';
import { HANDLERS } from '../../support/areas/records';

const LEASE = 30_000;

const { application, database } = useApplication();
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

/** Leaves a delivery as a process that dies during an attempt does. */
async function abandon(id: number, begun: number): Promise<void> {
  const { dataSource } = application();
  await dataSource.query("UPDATE deliveries SET lease = 'a dead process', started = ?, attempts = attempts + 1 WHERE id = ?", [begun, id]);
  const lanes = 'UPDATE delivery_lanes SET available = ? WHERE lane = (SELECT lane FROM deliveries WHERE id = ?)';
  await dataSource.query(lanes, [begun + LEASE, id]);
}

/** Sends this many messages, and returns the ids of their deliveries. */
async function sendMessages(handler: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(...(await sendMessage(account, [handler])));
  return ids;
}

async function expectDelivered(ids: readonly number[]): Promise<void> {
  for (const id of ids) expect((await finished(account, id)).status).toBe('delivered');
}

const outcomesOf = (log: { outcome: string }[]) => log.map(({ outcome }) => outcome);
const attemptsOf = (ids: readonly number[]) => Promise.all(ids.map(async (id) => (await readDelivery(account, id)).attempts));

/** Creates a delivery that waits for its second attempt. */
async function pendingDelivery(handler: number): Promise<number> {
  const post = jest.spyOn(application().app.get(Outbound), 'post').mockRejectedValueOnce(new OutboundError('unreachable', false));
  const [id] = await sendMessage(account, [handler]);
  await deliveryWhen(account, id, ({ log }) => log.length === 1);
  post.mockRestore();
  return id;
}

test('a handler has at most four concurrent attempts', async () => {
  const handler = await createWebhook(account, receiver.url());
  const held: (() => void)[] = [];
  receiver.answer = (response) => void held.push(() => response.end());
  const ids = await sendMessages(handler, 6);
  await receiver.received(4);
  receiver.answer = (response) => void response.end();
  held.forEach((release) => release());
  await expectDelivered(ids);
  expect(receiver.mostAtOnce).toBe(4);
});

test('many concurrent attempts cause no listener warning', async () => {
  const warnings: Error[] = [];
  const watch = (warning: Error) => void warnings.push(warning);
  process.on('warning', watch);
  const held: (() => void)[] = [];
  receiver.answer = (response) => void held.push(() => response.end());
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c']) ids.push(...(await sendMessages(await createWebhook(account, receiver.url(), name), 4)));
  await receiver.received(12);
  await new Promise(setImmediate);
  held.forEach((release) => release());
  await expectDelivered(ids);
  process.off('warning', watch);
  expect([receiver.mostAtOnce, warnings]).toEqual([12, []]);
});

test('after a timeout, a handler has one attempt at a time until one gets a response', async () => {
  const clock = holdClock(application());
  const attempts: (() => void)[] = [];
  const timeout = () => new Promise<never>((_, reject) => attempts.push(() => reject(new OutboundError('timeout', true))));
  const post = jest.spyOn(application().app.get(Outbound), 'post').mockImplementation(timeout);
  const ids = await sendMessages(await createWebhook(account, receiver.url()), 5);
  await until(() => attempts.length === 4);
  attempts.forEach((end) => end());
  await until(() => attempts.length === 5);
  for (const id of ids.slice(0, 4)) await deliveryWhen(account, id, ({ log }) => log.length === 1);
  clock.move(10_000);
  await nextDeliveryCycle(application());
  expect(await attemptsOf(ids)).toEqual([1, 1, 1, 1, 1]);
  post.mockRestore();
  attempts[4]();
  await deliveryWhen(account, ids[4], ({ log }) => log.length === 1);
  for (let moved = 0; moved < 5; moved++) clock.move(10_000);
  await expectDelivered(ids);
});

test('a Slack handler gets one message per second', async () => {
  const clock = holdClock(application());
  const handler = await account.client.create(HANDLERS, { name: 'Team', type: 'slack', slack: receiver.url('/slack') });
  const ids = await sendMessages(handler, 3);
  for (const [index, id] of ids.entries()) {
    await expectDelivered([id]);
    clock.move(999);
    await nextDeliveryCycle(application());
    expect(await attemptsOf(ids)).toEqual(ids.map((_, other) => (other <= index ? 1 : 0)));
    clock.move(1);
  }
});

test('a dead process’s attempt is logged as unknown and repeated once its lease ends', async () => {
  const clock = holdClock(application());
  const handler = await createWebhook(account, receiver.url());
  const id = await pendingDelivery(handler);
  await abandon(id, Date.now());
  clock.move(LEASE - 1_000);
  await expectDelivered(await sendMessage(account, [handler])); // in a cycle that read the lease, too
  expect(receiver.requests).toHaveLength(1);
  expect(outcomesOf((await readDelivery(account, id)).log)).toEqual(['unreachable']);
  clock.move(5_000);
  const { log, status } = await finished(account, id);
  expect([status, outcomesOf(log)]).toEqual(['delivered', ['unreachable', 'unknown', 'delivered']]);
});

test('a lease from long ago, as after a restore, is taken over', async () => {
  const id = await pendingDelivery(await createWebhook(account, receiver.url()));
  await abandon(id, Date.now() - 400 * 24 * 60 * 60 * 1_000);
  application().app.get(DeliveryWorker).loop.wake();
  expect(outcomesOf((await finished(account, id)).log)).toEqual(['unreachable', 'unknown', 'delivered']);
});

test('a paid delivery that a dead process attempted is not sent again', async () => {
  const clock = holdClock(application());
  const handler = await account.client.create(HANDLERS, { name: 'Phone', type: 'twilio', twilio: '+5511987654321' });
  const [id] = await sendMessage(account, [handler]);
  await finished(account, id); // not configured
  await application().dataSource.query("UPDATE deliveries SET status = 'pending', next_attempt = ? WHERE id = ?", [Date.now() + 1, id]);
  await abandon(id, Date.now());
  clock.move(LEASE + 1_000);
  const { log, status } = await finished(account, id);
  expect(status).toBe('failed');
  expect(log.at(-1)).toMatchObject({ outcome: 'unknown', status: null });
});

test('attempts that end together each follow their own Retry-After', async () => {
  holdClock(application());
  const seconds = [60, 70, 80, 90, 100];
  const arrived: string[] = [];
  let answerAll = () => {};
  const all = new Promise<void>((resolve) => (answerAll = resolve));
  const post = jest.spyOn(application().app.get(Outbound), 'post').mockImplementation(async ({ url }) => {
    arrived.push(url);
    await all;
    return { status: 429, headers: { 'retry-after': new URL(url).pathname.slice(1) }, body: '' };
  });
  const handlers: number[] = [];
  for (const wait of seconds) handlers.push(await createWebhook(account, receiver.url(`/${wait}`)));
  const ids = await sendMessage(account, handlers);
  await until(() => arrived.length === seconds.length);
  answerAll();
  for (const id of ids) await deliveryWhen(account, id, ({ log }) => log.length === 1);
  post.mockRestore();
  const rows = await application().rows('deliveries');
  const waits = ids.map((id) => Number(rows.find((row) => row.id === id)!.next_attempt) - application().app.get(Clock).now());
  expect(waits.sort((a, b) => a - b)).toEqual(seconds.map((wait) => wait * 1_000));
});

(onMysql ? test : test.skip)('two processes send each delivery once', async () => {
  const other = await TestApplication.start({ ...database().env });
  try {
    const handlers = await Promise.all(Array.from({ length: 4 }, (_, index) => createWebhook(account, receiver.url(), `Pager ${index}`)));
    const ids: number[] = [];
    for (let count = 0; count < 25; count++) {
      ids.push(...(await sendMessage(account, handlers)));
      other.app.get(DeliveryWorker).loop.wake();
    }
    for (const id of ids) expect((await finished(account, id)).attempts).toBe(1);
    const sent = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(sent).size).toBe(ids.length);
    expect(sent).toHaveLength(ids.length);
  } finally {
    await other.stop();
  }
});

test('stop() releases unsent deliveries and records sent ones', async () => {
  const handler = await createWebhook(account, receiver.url());
  let release = () => {};
  receiver.answer = (response) => void (release = () => response.end());
  const [sent] = await sendMessage(account, [handler]);
  await receiver.received(1);
  const outbound = application().app.get(Outbound);
  const notSent = jest.spyOn(outbound, 'post').mockImplementationOnce(async (_, { abortSignal }) => {
    await new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
    throw new OutboundError('aborted', false);
  });
  const [unsent] = await sendMessage(account, [handler]);
  await until(() => notSent.mock.calls.length > 0);
  const stopped = application().app.get(DeliveryWorker).stop();
  receiver.answer = (response) => void response.end();
  release();
  await stopped;
  expect(await readDelivery(account, sent)).toMatchObject({ status: 'delivered', attempts: 1 });
  expect(await readDelivery(account, unsent)).toMatchObject({ status: 'pending', attempts: 0, log: [] });
});

describe('DELIVERY_CONCURRENCY=16', () => {
  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'twilio-secret', TWILIO_FROM: '+15005550006' };
  const { application: small } = useApplication({ DELIVERY_CONCURRENCY: '16', ...twilio });

  test('each handler of an account gets an attempt before any gets a second', async () => {
    const clock = holdClock(small());
    const held: { url: string; end: () => void }[] = [];
    jest.spyOn(small().app.get(Outbound), 'post').mockImplementation(async ({ url }) => {
      await new Promise<void>((resolve) => held.push({ url, end: resolve }));
      throw new OutboundError('timeout', true);
    });
    const owner = await small().createAccount();
    const handlers: number[] = [];
    for (const name of ['a', 'b', 'c']) handlers.push(await createWebhook(owner, receiver.url(`/${name}`)));
    const [first, second, third] = handlers;
    // A cycle that begins between two messages would rightly send the older ones first.
    const cycles = jest.spyOn(small().app.get(DeliveryQueue), 'cycle').mockResolvedValue([]);
    for (const handler of [first, first, second, second, third]) await sendMessage(owner, [handler]);
    clock.move(1);
    cycles.mockRestore();
    small().app.get(DeliveryWorker).loop.wake();
    for (const released of [0, 1]) {
      await until(() => held.length === 2 + released);
      held[released].end();
    }
    await until(() => held.length === 4);
    jest.restoreAllMocks();
    held.forEach(({ end }) => end());
    expect(new Set(held.map(({ url }) => url)).size).toBe(3);
  });

  test('receivers that hang leave slots for a new account’s first delivery', async () => {
    const clock = holdClock(small());
    const held: (() => void)[] = [];
    let hangs = false;
    const outbound = small().app.get(Outbound);
    const send = outbound.post.bind(outbound);
    jest.spyOn(outbound, 'post').mockImplementation(async (request, options) => {
      if (!request.url.endsWith('/hang')) return send(request, options);
      if (hangs) await new Promise<void>((resolve) => held.push(resolve));
      throw new OutboundError('timeout', true);
    });
    const accounts = await Promise.all(Array.from({ length: 14 }, () => small().createAccount()));
    const failOnce = async (owner: TestAccount) => {
      const [id] = await sendMessage(owner, [await createWebhook(owner, receiver.url('/hang'))]);
      await deliveryWhen(owner, id, ({ log }) => log.length === 1);
    };
    await Promise.all(accounts.map(failOnce));
    hangs = true;
    clock.move(6_000);
    await until(() => held.length === 12);
    const newcomer = await small().createAccount();
    const [id] = await sendMessage(newcomer, [await createWebhook(newcomer, receiver.url('/new'))]);
    expect((await finished(newcomer, id)).status).toBe('delivered');
    expect(held).toHaveLength(12);
    hangs = false;
    held.forEach((release) => release());
  });

  test('stop() releases deliveries claimed by a commit whose connection was lost', async () => {
    const { app } = small();
    const [claimer, dialect, worker] = [app.get(Claimer), app.get(Dialect), app.get(DeliveryWorker)];
    const claim = claimer.claim.bind(claimer);
    let claimed = 0;
    jest.spyOn(claimer, 'claim').mockImplementation(async (...given) => {
      const claims = await claim(...given);
      claimed += claims.length;
      return claims;
    });
    const transact = dialect.statementTransaction.bind(dialect);
    let stopped: Promise<void> | undefined;
    jest.spyOn(dialect, 'statementTransaction').mockImplementation(async (work) => {
      const result = await transact(work);
      if (claimed === 0 || stopped) return result;
      stopped = worker.stop();
      throw new Error('The connection was lost.');
    });
    const owner = await small().createAccount();
    const handler = await owner.client.create(HANDLERS, { name: 'Phone', type: 'twilio', twilio: '+5511987654321' });
    const [id] = await sendMessage(owner, [handler]);
    await until(() => stopped !== undefined);
    await stopped;
    expect(await readDelivery(owner, id)).toMatchObject({ status: 'pending', attempts: 0, log: [] });
  });

  describe('LaneTable.findDue()', () => {
    const NOW = Date.UTC(2026, 10, 23);
    const MANY = 20_000;
    const SLOTS = 256;
    /** Rows that findDue() may read with 20,000 lanes due. */
    const MAX_ROWS = 3_000;

    let loud: number;
    let quiet: number;

    beforeAll(() => small().app.get(DeliveryWorker).stop());
    beforeEach(async () => {
      const { dataSource } = small();
      await dataSource.query('DELETE FROM delivery_lanes');
      loud = (await small().createAccount()).id;
      quiet = (await small().createAccount()).id;
    });

    /** Inserts lanes that became due one after another. */
    async function insertLanes(accountId: number, count: number, given: Partial<DeliveryLane> = {}): Promise<void> {
      const lanes = Array.from({ length: count }, (_, index) => ({
        account_id: accountId,
        lane: `webhook:${accountId}-${index}`,
        available: NOW - MANY + index,
        paused_until: 0,
        is_slow: 0,
        last_ms: 5,
        last_claim: NOW - MANY,
        ...given,
      }));
      await insertRows(small().dataSource, DeliveryLane, lanes);
    }

    const find = (slots = new Slots(SLOTS)) => small().app.get(LaneTable).findDue(slots, NOW);
    const isQuietFound = async (slots?: Slots) => (await find(slots)).lanes.some(({ accountId }) => accountId === quiet);

    /** Rows read: on MySQL by its counters; on SQLite by the rows returned, since the query plans exclude scans. */
    async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
      const dialect = small().app.get(Dialect);
      const read = jest.spyOn(dialect, 'read');
      await work();
      const statements = read.mock.calls.map(([sql, values]) => ({ sql, values: [...values] }));
      const returned = (await Promise.all(read.mock.results.map(({ value }) => value as Promise<unknown[]>))).flat().length;
      read.mockRestore();
      expect(statements.length).toBeLessThanOrEqual(6);
      if (!onMysql) {
        const own = new Libsql(String(small().dataSource.options.database)); // EXPLAIN leaves a snapshot open on its connection
        for (const { sql, values } of statements) {
          const plan = own.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
          expect(plan.filter(({ detail }) => /TEMP B-TREE|SCAN delivery_lanes/.test(detail))).toEqual([]);
        }
        own.close();
        return returned;
      }
      return dialect.statementTransaction(async (connection) => {
        const counted = async () => {
          const rows = await connection.read("SHOW SESSION STATUS LIKE 'Handler_read%'", []);
          return rows.reduce((sum, [, count]) => sum + Number(count), 0);
        };
        const before = await counted();
        for (const { sql, values } of statements) await connection.read(sql, values);
        return (await counted()) - before;
      });
    }

    test('findDue() reads a bounded number of rows, however many lanes are due', async () => {
      await insertLanes(loud, MANY);
      await insertLanes(quiet, 1, { available: NOW });
      expect(await rowsReadBy(() => find())).toBeLessThan(MAX_ROWS);
      expect(await isQuietFound()).toBe(true);
    });

    test('findDue() returns lanes of accounts with the fewest slots first', async () => {
      await insertLanes(loud, 10);
      await insertLanes(quiet, 1, { available: NOW });
      const slots = new Slots(SLOTS);
      slots.take(loud, 'fast');
      expect((await find(slots)).lanes[0].accountId).toBe(quiet);
    });

    test('findDue() reaches every account, however many there are', async () => {
      const { dataSource } = small();
      const names = Array.from({ length: 2_500 }, (_, index) => ({ name: `many ${index}`, datetime: '2026-11-23 00:00:00' }));
      await insertRows(dataSource, Account, names);
      quiet = (await small().createAccount()).id;
      await insertLanes(loud, 300);
      await insertLanes(quiet, 1, { available: NOW });
      const found = [await isQuietFound(), await isQuietFound(), await isQuietFound()];
      expect(found.filter(Boolean)).toHaveLength(1);
    });

    test('findDue() returns fast lanes when slow ones have no slot', async () => {
      await insertLanes(loud, 300, { is_slow: true, last_ms: 10_000 });
      await insertLanes(quiet, 1, { available: NOW });
      const slots = new Slots(SLOTS);
      for (let account = 1_000_000; slots.hasRoomForSlow; account++) slots.take(account, 'slow');
      const { lanes } = await find(slots);
      expect(lanes.map(({ accountId }) => accountId)).toEqual([quiet]);
    });
  });
});
