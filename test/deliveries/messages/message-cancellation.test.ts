// Runs on SQLite; in the whole run, on MySQL too.
import { Dialect } from '../../../src/platform/database/dialect';
import { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue';
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError } from '../../../src/platform/outbound/outbound-request';
import { type TestAccount, useApplication } from '../../support/application';
import { holdClock } from '../../support/clock';
import {
  auditOf,
  createWebhook,
  type DeliveryBody,
  deliveryWhen,
  finished,
  idsOf,
  pageOf,
  readDelivery,
  sendMessage,
} from '../../support/deliveries';
import { expectErrors } from '../../support/errors';
import { answer, receiver } from '../../support/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../../support/records';

const { application } = useApplication();
let account: TestAccount;
let handler: number;

beforeEach(async () => {
  account = await application().createAccount();
  handler = await createWebhook(account, receiver.url());
});

const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000).toISOString();
const cancel = (id: number, { client }: Pick<TestAccount, 'client'> = account) => client.post(`${MESSAGES}/${id}/cancellation`);

async function cancelled(id: number): Promise<[cancelled: number, atWork: number, finished: number]> {
  const { text, body } = await cancel(id).expect(200);
  const { data } = body as { data: { cancelled: number; at_work: number; finished: number } };
  expect(text).toBe(JSON.stringify({ data: { cancelled: data.cancelled, at_work: data.at_work, finished: data.finished } }));
  return [data.cancelled, data.at_work, data.finished];
}

/** Has attempts wait until they are released; `failure` then fails them. */
function holdAttempts(failure?: OutboundError) {
  const held: (() => void)[] = [];
  const outbound = application().app.get(Outbound);
  const post = outbound.post.bind(outbound);
  jest.spyOn(outbound, 'post').mockImplementation(async (request, options) => {
    await new Promise<void>((resolve) => held.push(resolve));
    if (failure) throw failure;
    return post(request, options);
  });
  return {
    release: () => held.forEach((each) => each()),
    async holds(count: number): Promise<void> {
      while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

async function eventsOf(types: string): Promise<Record<string, unknown>[]> {
  return ((await account.client.get(`/api/events?types=${types}`).expect(200)).body as { data: Record<string, unknown>[] }).data;
}

test('cancels what has not been sent, once', async () => {
  const clock = holdClock(application());
  const others = [await createWebhook(account, receiver.url('/b')), await createWebhook(account, receiver.url('/c'))];
  const ids = await sendMessage(account, [handler, ...others], { send_at: IN_AN_HOUR() });
  const { message_id: message } = await readDelivery(account, ids[0]);
  expect(await cancelled(message)).toEqual([3, 0, 0]);
  expect(await cancelled(message)).toEqual([0, 0, 3]);
  clock.move(7_200_000);
  const [next] = await sendMessage(account, [handler]);
  await finished(account, next);
  expect(receiver.requests).toHaveLength(1);
  for (const id of ids) {
    expect(await readDelivery(account, id)).toMatchObject({ status: 'cancelled', attempts: 0, next_attempt: null, outcome: null });
    expectErrors(await account.client.post(`${DELIVERIES}/${id}/retry`), { code: 'delivery_not_failed' });
  }
});

test('lets an attempt in progress deliver', async () => {
  const attempts = holdAttempts();
  const [id] = await sendMessage(account, [handler]);
  await attempts.holds(1);
  const { message_id: message } = await readDelivery(account, id);
  expect(await cancelled(message)).toEqual([0, 1, 0]);
  expect(await cancelled(message)).toEqual([0, 1, 0]);
  attempts.release();
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
  expect(await cancelled(message)).toEqual([0, 0, 1]);
});

test.each([
  ['would be followed by others', new OutboundError('timeout', true), 'timeout'],
  ['is final', new OutboundError('blocked_address', false), 'blocked_address'],
])('makes an attempt in progress the last when it fails and %s', async (_, failure, outcome) => {
  const clock = holdClock(application());
  const attempts = holdAttempts(failure);
  const [id] = await sendMessage(account, [handler]);
  await attempts.holds(1);
  await cancel((await readDelivery(account, id)).message_id).expect(200);
  attempts.release();
  const delivery = await finished(account, id);
  expect(delivery).toMatchObject({ status: 'cancelled', attempts: 1, outcome, next_attempt: null });
  expect(delivery.log).toHaveLength(1);
  clock.move(60_000);
  expectErrors(await account.client.post(`${DELIVERIES}/${id}/retry`), { code: 'delivery_not_failed' });
});

test('cancels what a dead process had at work once its lease ends', async () => {
  const clock = holdClock(application());
  const [id] = await sendMessage(account, [handler], { send_at: IN_AN_HOUR() });
  const { message_id: message } = await readDelivery(account, id);
  const { dataSource } = application();
  const started = Date.now();
  await dataSource.query('UPDATE deliveries SET lease = ?, started = ?, attempts = 1 WHERE id = ?', ['a dead process', started, id]);
  await dataSource.query('UPDATE delivery_lanes SET available = ? WHERE account_id = ?', [started + 30_000, account.id]);
  expect(await cancelled(message)).toEqual([0, 1, 0]);
  clock.move(31_000);
  expect(await finished(account, id)).toMatchObject({ status: 'cancelled', attempts: 1, outcome: 'unknown' });
  clock.move(3_600_000);
  expect(receiver.requests).toEqual([]);
});

test('cancels what is given back unsent', async () => {
  const attempts = holdAttempts(new OutboundError('given_back', false));
  const [id] = await sendMessage(account, [handler]);
  await attempts.holds(1);
  expect(await cancelled((await readDelivery(account, id)).message_id)).toEqual([0, 1, 0]);
  attempts.release();
  expect(await finished(account, id)).toMatchObject({ status: 'cancelled', attempts: 0, log: [] });
});

test('that comes between finding a delivery and claiming it wins', async () => {
  const dialect = application().app.get(Dialect);
  const cycles = jest.spyOn(application().app.get(DeliveryQueue), 'cycle').mockResolvedValue([]);
  const [id, other] = await sendMessage(account, [handler, await createWebhook(account, receiver.url('/other'))]);
  const { message_id: message } = await readDelivery(account, id);
  let counts: number[] | undefined;
  const run = dialect.statementTransaction.bind(dialect);
  jest.spyOn(dialect, 'statementTransaction').mockImplementation((work) =>
    run(async (statements) => {
      const read = statements.read.bind(statements);
      statements.read = async (sql, values) => {
        const rows = await read(sql, values);
        if (counts === undefined && sql.includes('ORDER BY next_attempt LIMIT') && dialect.sql.forUpdate !== '') {
          counts = [];
          counts = await cancelled(message);
        }
        return rows as never;
      };
      return work(statements);
    }),
  );
  if (dialect.sql.forUpdate === '') counts = await cancelled(message); // one writer at a time: nothing comes between
  cycles.mockRestore();
  const [next] = await sendMessage(account, [handler]);
  await finished(account, next);
  expect(counts).toEqual([2, 0, 0]);
  for (const each of [id, other]) expect(await readDelivery(account, each)).toMatchObject({ status: 'cancelled', attempts: 0 });
  expect(receiver.requests).toHaveLength(1);
});

test('beside the queue, of every message either a delivery came or it is cancelled', async () => {
  const handlers = [handler, ...(await Promise.all(['/1', '/2', '/3'].map((path) => createWebhook(account, receiver.url(path)))))];
  const messages = await Promise.all(
    Array.from({ length: 25 }, () => account.client.create(MESSAGES, { text: 'x', handler_ids: handlers.join(',') })),
  );
  const counts = await Promise.all(messages.map(cancelled));
  for (const each of counts) expect(each.reduce((sum, count) => sum + count)).toBe(4);
  const ids = (await Promise.all(messages.map((id) => idsOf(account, `${DELIVERIES}?message_id=${id}`)))).flat();
  const ended = await Promise.all(ids.map((id) => finished(account, id)));
  expect(ended.filter(({ status }) => status === 'delivered')).toHaveLength(receiver.requests.length);
  const sent = new Set(receiver.requests.map(({ body }) => (JSON.parse(body) as { data: { delivery_id: number } }).data.delivery_id));
  for (const { id, status } of ended) expect([id, status]).toEqual([id, sent.has(id) ? 'delivered' : 'cancelled']);
});

test('is audited and an event, by the key that did it, and only when it changes something', async () => {
  const attempts = holdAttempts(new OutboundError('timeout', true));
  const [atWork] = await sendMessage(account, [handler]);
  await attempts.holds(1);
  const { message_id: message } = await readDelivery(account, atWork);
  const [later] = await sendMessage(account, [handler], { send_at: IN_AN_HOUR() });
  const { message_id: other } = await readDelivery(account, later);
  for (const id of [message, message, other, other]) await cancel(id).expect(200);
  attempts.release();
  await finished(account, atWork);
  const actions = (await auditOf(application(), account, 'message')).map(({ action, record_id, key_id }) => [action, record_id, key_id]);
  expect(actions.filter(([action]) => action === 'cancel')).toEqual([
    ['cancel', message, account.keyId],
    ['cancel', other, account.keyId],
  ]);
  const actor = { type: 'key', id: account.keyId };
  expect((await eventsOf('message.cancelled')).map(({ record, ...event }) => [record, event.actor])).toEqual([
    [{ type: 'message', id: message }, actor],
    [{ type: 'message', id: other }, actor],
  ]);
  expect((await eventsOf('delivery.*')).map(({ type, record, actor: by }) => [type, record, by])).toEqual([
    ['delivery.cancelled', { type: 'delivery', id: later }, actor],
    ['delivery.cancelled', { type: 'delivery', id: atWork }, actor],
  ]);
});

test('counts what has finished apart', async () => {
  const clock = holdClock(application());
  receiver.answer = (response, { path }) => void response.writeHead(path === '/' ? 200 : 503).end();
  const ids = await sendMessage(account, [handler, await createWebhook(account, receiver.url('/fails'))]);
  await finished(account, ids[0]);
  await deliveryWhen(account, ids[1], ({ log }) => log.length === 1);
  const { message_id: message } = await readDelivery(account, ids[0]);
  expect(await cancelled(message)).toEqual([1, 0, 1]);
  clock.move(60_000);
  const statuses = (await pageOf<DeliveryBody>(account, `${DELIVERIES}?message_id=${message}`)).data.map(({ status }) => status);
  expect(statuses).toEqual(['delivered', 'cancelled']);
});

test('is made for the entity tag that was read, and for no other', async () => {
  const [id] = await sendMessage(account, [handler], { send_at: IN_AN_HOUR() });
  const { message_id: message } = await readDelivery(account, id);
  const { etag } = (await account.client.get(`${MESSAGES}/${message}`)).headers as { etag: string };
  expectErrors(await cancel(message).set('If-Match', '"another"'), { code: 'precondition_failed', source: 'header.If-Match' });
  await cancel(message).set('If-Match', etag).expect(200);
  expectErrors(await cancel(message).set('If-Match', etag), { code: 'precondition_failed', source: 'header.If-Match' });
});

test('takes no field and no Idempotency-Key, needs messages:write, and an account’s own message', async () => {
  receiver.answer = answer(410);
  const [id] = await sendMessage(account, [handler]);
  const { message_id: message } = await finished(account, id);
  const field = account.client.post(`${MESSAGES}/${message}/cancellation`, { reason: 'x' });
  expectErrors(await field, { code: 'unknown_parameter', source: 'form.reason' });
  expectErrors(await cancel(message).set('Idempotency-Key', 'k'), { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
  const reader = await application().createKey(account.id, { scopes: ['messages:read'] });
  expectErrors(await cancel(message, reader), { code: 'insufficient_scope', source: 'header.Authorization' });
  expectErrors(await cancel(message, await application().createAccount()), { code: 'not_found' });
  expectErrors(await cancel(2_147_483_647), { code: 'not_found' });
});

test('deliveries of a deleted handler are cancelled at once, by whoever deleted it', async () => {
  const [id] = await sendMessage(account, [handler], { send_at: IN_AN_HOUR() });
  await account.client.delete(`${HANDLERS}/${handler}`).expect(200);
  expect((await readDelivery(account, id)).status).toBe('cancelled');
  const [event] = await eventsOf('delivery.cancelled');
  expect(event).toMatchObject({ record: { type: 'delivery', id }, actor: { type: 'key', id: account.keyId } });
});
