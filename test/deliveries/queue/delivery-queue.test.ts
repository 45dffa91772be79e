// Runs on SQLite and MySQL.
import { Clock } from '../../../src/platform/common/clock';
import { Dialect } from '../../../src/platform/database/dialect';
import { Claimer } from '../../../src/deliveries/queue/claimer';
import { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue';
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError } from '../../../src/platform/outbound/outbound-request';
import { type TestAccount, TestApplication, useApplication } from '../../support/application';
import { holdClock, until } from '../../support/clock';
import { createWebhook, deliveryWhen, finished, readDelivery, sendMessage, webhookIdIn } from '../../support/deliveries';
import { onMysql } from '../../support/database';
import { answer, receiver } from '../../support/receiver';
import { HANDLERS } from '../../support/records';

const LEASE = 30_000;

const { application, database } = useApplication();
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

/** As a process leaves it that dies at work. */
async function abandon(id: number, begun: number): Promise<void> {
  const { dataSource } = application();
  await dataSource.query('UPDATE deliveries SET lease = ?, started = ?, attempts = attempts + 1 WHERE id = ?', [
    'a dead process',
    begun,
    id,
  ]);
  await dataSource.query('UPDATE delivery_lanes SET available = ? WHERE lane = (SELECT lane FROM deliveries WHERE id = ?)', [
    begun + LEASE,
    id,
  ]);
}

const requestsTo = (path: string) => receiver.requests.filter((request) => request.path === path);

/** Delivers through a handler of another account, so that a turn has run since the clock moved. */
async function deliverToNeighbour(): Promise<void> {
  const neighbour = await application().createAccount();
  const [id] = await sendMessage(neighbour, [await createWebhook(neighbour, receiver.url('/neighbour'))]);
  expect((await finished(neighbour, id)).status).toBe('delivered');
}

/** Creates a delivery that no process attempts yet. */
async function pendingDelivery(handler: number): Promise<number> {
  const post = jest.spyOn(application().app.get(Outbound), 'post').mockRejectedValueOnce(new OutboundError('unreachable', false));
  const [id] = await sendMessage(account, [handler]);
  await deliveryWhen(account, id, ({ log }) => log.length === 1);
  post.mockRestore();
  return id;
}

test('a handler has at most four attempts at once', async () => {
  const handler = await createWebhook(account, receiver.url());
  const held: (() => void)[] = [];
  receiver.answer = (response) => void held.push(() => response.end());
  const ids: number[] = [];
  for (let count = 0; count < 6; count++) ids.push(...(await sendMessage(account, [handler])));
  await receiver.received(4);
  receiver.answer = (response) => void response.end();
  held.forEach((release) => release());
  for (const id of ids) expect((await finished(account, id)).status).toBe('delivered');
  expect(receiver.mostAtOnce).toBe(4);
});

test('after a timeout a handler has one attempt at once, until one is answered', async () => {
  const clock = holdClock(application());
  const handler = await createWebhook(account, receiver.url());
  const attempts: (() => void)[] = [];
  const timeout = () => new Promise<never>((_, reject) => attempts.push(() => reject(new OutboundError('timeout', true))));
  const post = jest.spyOn(application().app.get(Outbound), 'post').mockImplementation(timeout);
  const ids: number[] = [];
  for (let count = 0; count < 5; count++) ids.push(...(await sendMessage(account, [handler])));
  await until(() => attempts.length === 4);
  attempts.forEach((end) => end());
  await until(() => attempts.length === 5);
  for (const id of ids.slice(0, 4)) await deliveryWhen(account, id, ({ log }) => log.length === 1);
  clock.move(10_000);
  const neighbour = await application().createAccount();
  await sendMessage(neighbour, [await createWebhook(neighbour, receiver.url('/other'))]);
  await until(() => post.mock.calls.length > 5); // a turn after the clock has moved
  expect(post.mock.calls.slice(5).map(([{ url }]) => url)).toEqual([receiver.url('/other')]);
  post.mockRestore();
  attempts.slice(4).forEach((end) => end());
  await deliveryWhen(account, ids[4], ({ log }) => log.length === 1);
  for (let moved = 0; moved < 5; moved++) clock.move(10_000);
  for (const id of ids) expect((await finished(account, id)).status).toBe('delivered');
});

test('a Slack handler gets one message a second', async () => {
  const clock = holdClock(application());
  const handler = await account.client.create(HANDLERS, { name: 'Team', type: 'slack', slack: receiver.url('/slack') });
  const ids: number[] = [];
  for (let count = 0; count < 3; count++) ids.push(...(await sendMessage(account, [handler])));
  for (const [index, id] of ids.entries()) {
    expect((await finished(account, id)).status).toBe('delivered');
    expect(requestsTo('/slack')).toHaveLength(index + 1);
    clock.move(999);
    await deliverToNeighbour();
    expect(requestsTo('/slack')).toHaveLength(index + 1);
    expect((await Promise.all(ids.slice(index + 1).map((other) => readDelivery(account, other)))).map(({ attempts }) => attempts)).toEqual(
      ids.slice(index + 1).map(() => 0),
    );
    clock.move(1);
  }
});

test('an attempt of a dead process is unknown, and repeated once its lease has ended', async () => {
  const clock = holdClock(application());
  const handler = await createWebhook(account, receiver.url());
  const id = await pendingDelivery(handler);
  await abandon(id, Date.now());
  clock.move(LEASE - 1_000);
  const [other] = await sendMessage(account, [handler]);
  expect((await finished(account, other)).status).toBe('delivered'); // by a turn that read the lease, too
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([await webhookIdIn(application(), other)]);
  expect((await readDelivery(account, id)).log.map(({ outcome }) => outcome)).toEqual(['unreachable']);
  clock.move(5_000);
  const { log, status } = await finished(account, id);
  expect(status).toBe('delivered');
  expect(log.map(({ outcome }) => outcome)).toEqual(['unreachable', 'unknown', 'delivered']);
});

test('a lease of long ago, as of a restored backup, stops nobody', async () => {
  const id = await pendingDelivery(await createWebhook(account, receiver.url()));
  await abandon(id, Date.now() - 400 * 24 * 60 * 60 * 1_000);
  application().app.get(DeliveryWorker).wake();
  expect((await finished(account, id)).log.map(({ outcome }) => outcome)).toEqual(['unreachable', 'unknown', 'delivered']);
});

test('a paid delivery that a dead process had at work is not sent again', async () => {
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

describe('after the clock was a day ahead and is set back', () => {
  const DAY = 24 * 60 * 60 * 1_000;

  test('a Slack handler gets its next message a second later', async () => {
    const clock = holdClock(application());
    const handler = await account.client.create(HANDLERS, { name: 'Team', type: 'slack', slack: receiver.url('/slack') });
    clock.move(DAY);
    await finished(account, (await sendMessage(account, [handler]))[0]);
    clock.move(-DAY);
    const [id] = await sendMessage(account, [handler]);
    await deliverToNeighbour();
    clock.move(1_000);
    expect((await finished(account, id)).status).toBe('delivered');
  });

  test('a receiver that asked to wait gets what waits now', async () => {
    const clock = holdClock(application());
    const handler = await createWebhook(account, receiver.url());
    clock.move(DAY);
    receiver.answer = answer(429, { 'Retry-After': '60' });
    const [id] = await sendMessage(account, [handler]);
    await deliveryWhen(account, id, ({ log }) => log.length === 1);
    receiver.reset();
    clock.move(-DAY);
    expect((await finished(account, id)).status).toBe('delivered');
  });

  test('an attempt of a dead process is repeated after another lease', async () => {
    const clock = holdClock(application());
    const id = await pendingDelivery(await createWebhook(account, receiver.url()));
    await abandon(id, Date.now() + DAY);
    clock.move(0);
    await deliverToNeighbour();
    expect((await readDelivery(account, id)).log).toHaveLength(1);
    clock.move(LEASE);
    expect((await finished(account, id)).log.map(({ outcome }) => outcome)).toEqual(['unreachable', 'unknown', 'delivered']);
  });
});

test('attempts that end together are each tried again when their receiver asks', async () => {
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

describe('with sixteen slots', () => {
  const { application: small } = useApplication({ DELIVERY_CONCURRENCY: '16' });

  test('an account’s handlers get their first attempts before any gets a second', async () => {
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
    small().app.get(DeliveryWorker).wake();
    for (const released of [0, 1]) {
      await until(() => held.length === 2 + released);
      held[released].end();
    }
    await until(() => held.length === 4);
    jest.restoreAllMocks();
    held.forEach(({ end }) => end());
    expect(new Set(held.map(({ url }) => url)).size).toBe(3);
  });

  test('receivers of twenty accounts that hang leave some for a new account’s first delivery', async () => {
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
    const accounts = await Promise.all(Array.from({ length: 20 }, () => small().createAccount()));
    for (const each of accounts) {
      const [id] = await sendMessage(each, [await createWebhook(each, receiver.url('/hang'))]);
      await deliveryWhen(each, id, ({ log }) => log.length === 1);
    }
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
});

const onSeveralProcesses = onMysql ? test : test.skip;

onSeveralProcesses('two processes send a delivery once', async () => {
  const other = await TestApplication.start({ ...database().env });
  try {
    const handlers = await Promise.all(Array.from({ length: 4 }, (_, index) => createWebhook(account, receiver.url(), `Pager ${index}`)));
    const ids: number[] = [];
    for (let count = 0; count < 25; count++) {
      ids.push(...(await sendMessage(account, handlers)));
      other.app.get(DeliveryWorker).wake();
    }
    for (const id of ids) expect((await finished(account, id)).attempts).toBe(1);
    const sent = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(sent).size).toBe(ids.length);
    expect(sent).toHaveLength(ids.length);
  } finally {
    await other.stop();
  }
});

test('stopping gives back what was not sent, and notes what was', async () => {
  const handler = await createWebhook(account, receiver.url());
  let release = () => {};
  receiver.answer = (response) => void (release = () => response.end());
  const [sent] = await sendMessage(account, [handler]);
  await receiver.received(1);
  const outbound = application().app.get(Outbound);
  const notSent = jest.spyOn(outbound, 'post').mockImplementationOnce(async (_, { giveBack }) => {
    await new Promise((resolve) => giveBack.addEventListener('abort', resolve));
    throw new OutboundError('given_back', false);
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

describe('when a commit loses its connection', () => {
  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'twilio-secret', TWILIO_FROM: '+15005550006' };
  const { application: stopping } = useApplication(twilio);

  test('a stop that follows at once gives back what it claimed', async () => {
    const { app } = stopping();
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
    const owner = await stopping().createAccount();
    const handler = await owner.client.create(HANDLERS, { name: 'Phone', type: 'twilio', twilio: '+5511987654321' });
    const [id] = await sendMessage(owner, [handler]);
    await until(() => stopped !== undefined);
    await stopped;
    expect(await readDelivery(owner, id)).toMatchObject({ status: 'pending', attempts: 0, log: [] });
  });
});

describe('many attempts at once', () => {
  const { application: busy } = useApplication();

  test('share the signal that gives them back without a listener warning', async () => {
    const warnings: Error[] = [];
    const watch = (warning: Error) => void warnings.push(warning);
    process.on('warning', watch);
    const owner = await busy().createAccount();
    const handlers = await Promise.all([1, 2, 3].map((number) => createWebhook(owner, receiver.url(), `Pager ${number}`)));
    const held: (() => void)[] = [];
    receiver.answer = (response) => void held.push(() => response.end());
    const ids: number[] = [];
    for (let count = 0; count < 4; count++) ids.push(...(await sendMessage(owner, handlers)));
    await receiver.received(12);
    await new Promise(setImmediate);
    held.forEach((release) => release());
    for (const id of ids) expect((await finished(owner, id)).status).toBe('delivered');
    process.off('warning', watch);
    expect(receiver.mostAtOnce).toBe(12);
    expect(warnings).toEqual([]);
  });
});
