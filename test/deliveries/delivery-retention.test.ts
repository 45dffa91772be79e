// Runs on SQLite; in the whole run, on MySQL too.
import { Retention } from '../../src/deliveries/retention';
import { Schedule } from '../../src/platform/jobs/schedule';
import { type TestAccount, useApplication } from '../support/application';
import { holdClock } from '../support/clock';
import { createWebhook, deliveryWhen, finished, pageOf, readDelivery, sendMessage } from '../support/deliveries';
import { answer, receiver } from '../support/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../support/records';

const DAY_MS = 86_400_000;
/** What fails is tried again after two days. */
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

test('finished deliveries go with their attempts and their message, a day after their last change', async () => {
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

test('a pending delivery stays with its message until it has finished, too', async () => {
  const clock = holdClock(application());
  receiver.answer = (response, request) => answer(request.path === '/503' ? 503 : 200)(response, request);
  const handlers = [await createWebhook(account, receiver.url('/200')), await createWebhook(account, receiver.url('/503'))];
  const [delivered, pending] = await sendMessage(account, handlers);
  await finished(account, delivered);
  await deliveryWhen(account, pending, ({ log }) => log.length === 1);
  const message = await messageOf(pending);
  clock.move(DAY_MS + 1_000);
  await sweep();
  await account.client.get(`${DELIVERIES}/${delivered}`).expect(404);
  expect(await readDelivery(account, pending)).toMatchObject({ status: 'pending', log: [{ number: 1 }] });
  const { body } = await account.client.get(`${MESSAGES}/${message}`).expect(200);
  expect(body).toMatchObject({ data: { deliveries: { pending: 1, delivered: 0, failed: 0, cancelled: 0 } } });

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

test('more than fits a transaction goes in one sweep, and newer records stay', async () => {
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

test('a receiver that was slow is remembered as long as deliveries are', async () => {
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

test('the queue’s and the limits’ own rows go, and what comes then works', async () => {
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
