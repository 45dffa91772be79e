// Runs on SQLite; in the whole run, on MySQL too.
import { type TestAccount, useApplication, withApplication } from '../support/application';
import { holdClock } from '../support/clock';
import { createWebhook, deliveryWhen, finished, readDelivery, sendMessage } from '../support/deliveries';
import { answer, receiver } from '../support/receiver';
import { DELIVERIES, HANDLERS } from '../support/records';

/** A day that doesn’t end during a test. */
const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;
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
  return [status, log.at(-1)?.outcome];
};
const deliver = async (...handlers: number[]) => outcomeOf((await sendMessage(account, handlers))[0]);
const testOnce = async (id: number) => {
  const { body } = await account.client.post(`${HANDLERS}/${id}/test`).expect(200);
  return (body as { data: { outcome: string; detail: string } }).data;
};
const DELIVERED = ['delivered', 'delivered'];
const OVER = ['failed', 'daily_limit'];

test('deliveries beyond the limit of the day fail, for all handlers of the type together', async () => {
  const other = await createWebhook(account, receiver.url('/other'));
  const clock = holdClock(application());
  expect(await deliver(handler)).toEqual(DELIVERED);
  expect(await deliver(other)).toEqual(DELIVERED);
  const ids = await sendMessage(account, [handler, other]);
  const outcomes = [await outcomeOf(ids[0]), await outcomeOf(ids[1])].map(String).sort();
  expect(outcomes).toEqual([DELIVERED, OVER].map(String));
  expect(receiver.requests).toHaveLength(3);

  const stranger = await application().createAccount();
  const [theirs] = await sendMessage(stranger, [await createWebhook(stranger, receiver.url())]);
  expect(await finished(stranger, theirs)).toMatchObject({ status: 'delivered' });

  const [over] = await sendMessage(account, [handler]);
  expect((await finished(account, over)).log).toEqual([
    expect.objectContaining({ number: 1, status: null, detail: 'The account has used up the daily limit of this type.' }),
  ]);
  clock.move(DAY_MS);
  await account.client.post(`${DELIVERIES}/${over}/retry`).expect(200);
  expect(await outcomeOf(over)).toEqual(DELIVERED);
});

test('a delivery counts once, however often it is attempted, also after midnight and a retry', async () => {
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
  expect([await deliver(handler), await deliver(handler), await deliver(handler)]).toEqual([DELIVERED, DELIVERED, OVER]);
});

test('tests count, and are counted', async () => {
  expect((await testOnce(handler)).outcome).toBe('delivered');
  expect([await deliver(handler), await deliver(handler), await deliver(handler)]).toEqual([DELIVERED, DELIVERED, OVER]);
  expect(await testOnce(handler)).toMatchObject({
    outcome: 'daily_limit',
    detail: 'The account has used up the daily limit of this type.',
  });
  expect(receiver.requests).toHaveLength(3);
});

test('a limit of 0 forbids a type, and a type without a limit is unlimited', async () => {
  const discord = await account.client.create(HANDLERS, { name: 'Discord', type: 'discord', discord: receiver.url('/discord') });
  expect([await deliver(discord), (await testOnce(discord)).outcome]).toEqual([OVER, 'daily_limit']);
  const teams = await account.client.create(HANDLERS, { name: 'Teams', type: 'microsoft_teams', microsoft_teams: receiver.url('/teams') });
  for (let count = 0; count < 5; count++) expect(await deliver(teams)).toEqual(DELIVERED);
});

test('all processes count together', async () => {
  await withApplication({ ...database().env, ...LIMITS, DELIVERY_CONCURRENCY: '0' }, async (other) => {
    for (let count = 0; count < 2; count++) await other.client(account.key).post(`${HANDLERS}/${handler}/test`).expect(200);
  });
  expect([await deliver(handler), await deliver(handler)]).toEqual([DELIVERED, OVER]);
});

test('a refused delivery doesn’t count towards a limit that is raised later', async () => {
  const outcomes = async (count: number, use = account.client) => {
    const answers: string[] = [];
    for (let sent = 0; sent < count; sent++) {
      const { body } = await use.post(`${HANDLERS}/${handler}/test`).expect(200);
      answers.push((body as { data: { outcome: string } }).data.outcome);
    }
    return answers;
  };
  expect(await outcomes(5)).toEqual(['delivered', 'delivered', 'delivered', 'daily_limit', 'daily_limit']);
  const raised = { ...database().env, DELIVERY_DAILY_LIMIT: 'webhook=5', DELIVERY_CONCURRENCY: '0' };
  await withApplication(raised, async (other) => {
    expect(await outcomes(3, other.client(account.key))).toEqual(['delivered', 'delivered', 'daily_limit']);
  });
});

test('a delivery that is cancelled before its first attempt doesn’t count', async () => {
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
  expect([await deliver(other), await deliver(other)]).toEqual([DELIVERED, DELIVERED]);
});
