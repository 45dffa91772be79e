/** @mysql whole */
import { DeliveryQueue } from '../../src/deliveries/queue/delivery-queue';
import { Dialect } from '../../src/platform/database/dialect';
import { Outbound } from '../../src/platform/outbound/outbound';
import { OutboundError } from '../../src/platform/outbound/outbound-request';
import { type TestAccount, useApplication } from '../support/http/application';
import { idOf } from '../support/http/client';
import { holdClock, until } from '../support/jest/clock';
import {
  auditOf,
  createWebhook,
  type DeliveryBody,
  deliveryWhen,
  eventsOf,
  finished,
  idsOf,
  onceLogIsRead,
  pageOf,
  readDelivery,
  readMessage,
  sendMessage,
  nextDeliveryCycle,
} from '../support/areas/deliveries';
import { expectErrors } from '../support/http/errors';
import { answer, receiver } from '../support/servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../support/areas/records';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { application } = useApplication();
let account: TestAccount;
let handler: number;

beforeEach(async () => {
  account = await application().createAccount();
  handler = await createWebhook(account, receiver.url());
});

const rfc3339 = (ahead: number) => new Date(Date.now() + ahead).toISOString();
const shown = (time: string) => time.slice(0, 19).replace('T', ' ');

/** Holds attempts after their response until released. An attempt with a failure sends nothing. */
function holdAttempts(...failures: (OutboundError | undefined)[]) {
  const held: (() => void)[] = [];
  const outbound = application().app.get(Outbound);
  const post = outbound.post.bind(outbound);
  jest.spyOn(outbound, 'post').mockImplementation(async (request, options) => {
    const failure = failures[held.length];
    const ended = failure ?? (await post(request, options));
    await new Promise<void>((resolve) => held.push(resolve));
    if (ended instanceof OutboundError) throw ended;
    return ended;
  });
  return { release: () => held.forEach((each) => each()), holds: (count: number) => until(() => held.length >= count) };
}

describe('send_at', () => {
  test('a message is not sent before send_at', async () => {
    const clock = holdClock(application());
    const time = rfc3339(20 * DAY_MS);
    const [id] = await sendMessage(account, [handler], { send_at: time });
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', next_attempt: shown(time), attempts: 0 });
    clock.move(20 * DAY_MS - 10_000);
    await nextDeliveryCycle(application());
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', attempts: 0 });
    clock.move(21_000);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
    const { message_id } = await readDelivery(account, id);
    expect(await readMessage(account, message_id)).toMatchObject({ send_at: shown(time), expires_at: null, repeats: 0 });
  });

  test('send_at does not delay other messages to the handler', async () => {
    await sendMessage(account, [handler], { send_at: rfc3339(DAY_MS) });
    const [now] = await sendMessage(account, [handler]);
    expect((await finished(account, now)).status).toBe('delivered');
    expect(receiver.requests).toHaveLength(1);
  });

  test('a past send_at is sent at once and shown as given', async () => {
    const [id] = await sendMessage(account, [handler], { send_at: '2020-01-02 03:04:05' });
    const { message_id } = await finished(account, id);
    expect((await readMessage(account, message_id)).send_at).toBe('2020-01-02 03:04:05');
  });

  test.each([
    ['2026-11-21t14:30:00.987654z', '2026-11-21 14:30:00'],
    ['2026-11-21T00:30:00.5-23:59', '2026-11-22 00:29:00'],
    ['2024-02-29 23:59:59', '2024-02-29 23:59:59'],
  ])('normalizes %s to %s UTC', async (given, time) => {
    const id = await account.client.create(MESSAGES, { text: 'x', send_at: given });
    expect((await readMessage(account, id)).send_at).toBe(time);
  });

  test.each([
    '',
    'tomorrow',
    '1795500000',
    '2026-11-21',
    '2026-11-21T14:30:00',
    '2026-02-30 10:00:00',
    '2026-11-21 24:00:00',
    '2026-11-21T14:30:00+24:00',
    '2026-11-21T14:30:00+0100',
    '2026-11-21T14:30Z',
    '2026-11-21 14:30:00.5',
  ])('rejects the time %j', async (given) => {
    for (const name of ['send_at', 'expires_at']) {
      const refused = await account.client.send('POST', MESSAGES).send({ text: 'x', [name]: given });
      expectErrors(refused, {
        code: 'invalid_parameter',
        source: `form.${name}`,
        detail: /must be a time YYYY-MM-DD HH:MM:SS in UTC, or /,
      });
    }
  });

  test('rejects a send_at more than 90 days ahead', async () => {
    holdClock(application());
    await account.client.create(MESSAGES, { text: 'x', send_at: rfc3339(90 * DAY_MS - 60_000) });
    const refused = await account.client.post(MESSAGES, { text: 'x', send_at: rfc3339(90 * DAY_MS + 60_000) });
    expectErrors(refused, { code: 'invalid_parameter', source: 'form.send_at', detail: 'send_at must be at most 90 days ahead.' });
  });
});

describe('expires_at', () => {
  test('a pending delivery expires without another attempt', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const time = rfc3339(60_000);
    const [id] = await sendMessage(account, [handler], { expires_at: time });
    await deliveryWhen(account, id, ({ log }) => log.length === 1);
    clock.move(6_000);
    await deliveryWhen(account, id, ({ log }) => log.length === 2);
    clock.move(55_000);
    const delivery = await finished(account, id);
    expect(delivery).toMatchObject({ status: 'failed', outcome: 'expired', attempts: 2, next_attempt: null });
    expect(delivery.log.map(({ number, outcome, status }) => [number, outcome, status])).toEqual([
      [1, 'server_error', 503],
      [2, 'server_error', 503],
      [2, 'expired', null],
    ]);
    expect(receiver.requests).toHaveLength(2);
    expect((await readMessage(account, delivery.message_id)).expires_at).toBe(shown(time));
  });

  test('a delivery that was never attempted expires with log number 0', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503, { 'Retry-After': '600' });
    const [first] = await sendMessage(account, [handler]);
    await deliveryWhen(account, first, ({ log }) => log.length === 1);
    const [id] = await sendMessage(account, [handler], { expires_at: rfc3339(30_000) });
    clock.move(31_000);
    const { status, attempts, log } = await finished(account, id);
    expect([status, attempts, log.length]).toEqual(['failed', 0, 1]);
    expect(log[0]).toMatchObject({ number: 0, outcome: 'expired', status: null, duration_ms: 0, detail: 'The message expired.' });
    expect((await readDelivery(account, first)).status).toBe('pending');
  });

  test('an attempt in progress at expires_at finishes and counts', async () => {
    const clock = holdClock(application());
    const attempts = holdAttempts(undefined, new OutboundError('timeout', true));
    const ids: number[] = [];
    for (const at of [1, 2]) {
      ids.push(...(await sendMessage(account, [handler], { expires_at: rfc3339(20_000) })));
      await attempts.holds(at);
    }
    clock.move(21_000);
    await nextDeliveryCycle(application());
    for (const id of ids) expect((await readDelivery(account, id)).status).toBe('pending');
    attempts.release();
    expect((await finished(account, ids[0])).log.map(({ outcome }) => outcome)).toEqual(['delivered']);
    expect((await finished(account, ids[1])).log.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'timeout'],
      [1, 'expired'],
    ]);
  });

  test('a delivery that expires during a read is consistent with its log', async () => {
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(DAY_MS), expires_at: rfc3339(2 * DAY_MS) });
    let happened = false;
    onceLogIsRead(application(), async () => {
      happened = true;
      clock.move(3 * DAY_MS);
      await finished(account, id);
    });
    expect(await readDelivery(account, id)).toMatchObject({ status: 'failed', attempts: 0, log: [{ number: 0, outcome: 'expired' }] });
    expect(happened).toBe(true);
  });

  test('expiry sends a delivery.failed event', async () => {
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(10_000), expires_at: rfc3339(20_000) });
    jest.spyOn(application().app.get(Outbound), 'post').mockRejectedValue(new OutboundError('unreachable', false));
    clock.move(60_000);
    await finished(account, id);
    const [event, ...others] = await eventsOf(account, 'delivery.failed');
    expect(event).toMatchObject({ record: { type: 'delivery', id }, actor: { type: 'service', id: null } });
    expect([event.data, others]).toEqual([expect.objectContaining({ handler_id: handler, outcome: 'expired' }), []]);
  });

  test('an expired delivery cannot be retried, alone or in bulk', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(410);
    const [id] = await sendMessage(account, [handler], { expires_at: rfc3339(10_000) });
    await finished(account, id);
    await account.client.post(`${DELIVERIES}/${id}/retry`).expect(200);
    await finished(account, id);
    clock.move(11_000);
    const code = 'delivery_expired';
    expectErrors(await account.client.post(`${DELIVERIES}/${id}/retry`), { code, detail: /has expired/ });
    const { body } = await account.client.post(`${DELIVERIES}/retry`, { status: 'failed' }).expect(200);
    expect(body).toEqual({ data: { retried: 0, skipped: 1 } });
    expect((await readDelivery(account, id)).log).toHaveLength(2);
  });

  test('a retried delivery still expires', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(410);
    const [id] = await sendMessage(account, [handler], { expires_at: rfc3339(60_000) });
    await finished(account, id);
    receiver.answer = answer(503);
    await account.client.post(`${DELIVERIES}/${id}/retry`).expect(200);
    await deliveryWhen(account, id, ({ log }) => log.length === 2);
    clock.move(61_000);
    expect((await finished(account, id)).outcome).toBe('expired');
  });

  test.each([
    ['in the past', {}, -1_000],
    ['not after send_at', { send_at: rfc3339(2 * DAY_MS) }, DAY_MS],
  ])('rejects an expires_at %s', async (_, fields, ahead) => {
    const refused = await account.client.post(MESSAGES, { text: 'x', ...fields, expires_at: rfc3339(ahead) });
    const detail = 'expires_at must be in the future, and after send_at.';
    expectErrors(refused, { code: 'invalid_parameter', source: 'form.expires_at', detail });
  });
});

test('conflicts between fields are reported together, once each field is valid', async () => {
  const fields = { text: 'x', handler_ids: '2147483647', send_at: rfc3339(91 * DAY_MS), expires_at: rfc3339(DAY_MS), dedup_seconds: '5' };
  const namesOf = (body: unknown) => (body as { errors: { source: { name: string } }[] }).errors.map(({ source }) => source.name);
  const { body } = await account.client.post(MESSAGES, fields).expect(400);
  expect(namesOf(body)).toEqual(['send_at', 'expires_at', 'dedup_seconds']); // handler_ids needs the database
  const wrong = await account.client.post(MESSAGES, { ...fields, title: 'a\nb', url: 'x' }).expect(400);
  expect(namesOf(wrong.body)).toEqual(['title', 'url']);
});

test('neither expiry nor the times of a message are audited', async () => {
  const clock = holdClock(application());
  const created = await account.client.post(MESSAGES, { text: 'x', send_at: rfc3339(5_000), expires_at: rfc3339(6_000) }).expect(201);
  clock.move(10_000);
  await nextDeliveryCycle(application());
  expect(await auditOf(application(), account, 'message')).toEqual([
    expect.objectContaining({ action: 'create', record_id: idOf(created) }),
  ]);
  expect(await auditOf(application(), account, 'delivery')).toEqual([]);
});

describe('POST /api/messages/:message_id/cancellation', () => {
  const cancel = (id: number, { client }: Pick<TestAccount, 'client'> = account) => client.post(`${MESSAGES}/${id}/cancellation`);

  async function cancelled(id: number): Promise<[cancelled: number, atWork: number, finished: number]> {
    const { text, body } = await cancel(id).expect(200);
    const { data } = body as { data: { cancelled: number; at_work: number; finished: number } };
    expect(text).toBe(JSON.stringify({ data: { cancelled: data.cancelled, at_work: data.at_work, finished: data.finished } }));
    return [data.cancelled, data.at_work, data.finished];
  }

  test('a cancellation cancels pending deliveries once', async () => {
    const clock = holdClock(application());
    const others = [await createWebhook(account, receiver.url('/b')), await createWebhook(account, receiver.url('/c'))];
    const ids = await sendMessage(account, [handler, ...others], { send_at: rfc3339(HOUR_MS) });
    const { message_id: message } = await readDelivery(account, ids[0]);
    expect(await cancelled(message)).toEqual([3, 0, 0]);
    expect(await cancelled(message)).toEqual([0, 0, 3]);
    clock.move(2 * HOUR_MS);
    await nextDeliveryCycle(application());
    for (const id of ids) {
      expect(await readDelivery(account, id)).toMatchObject({ status: 'cancelled', attempts: 0, next_attempt: null, outcome: null });
      expectErrors(await account.client.post(`${DELIVERIES}/${id}/retry`), { code: 'delivery_not_failed' });
    }
  });

  test('an attempt in progress may deliver despite the cancellation', async () => {
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
    [new OutboundError('timeout', true), 'timeout'],
    [new OutboundError('blocked_address', false), 'blocked_address'],
  ])('a cancelled delivery is not retried after an attempt in progress: %s', async (failure, outcome) => {
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

  test('a cancellation reaches a dead process’s delivery once its lease ends', async () => {
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(HOUR_MS) });
    const { message_id: message } = await readDelivery(account, id);
    const { dataSource } = application();
    const started = Date.now();
    await dataSource.query("UPDATE deliveries SET lease = 'a dead process', started = ?, attempts = 1 WHERE id = ?", [started, id]);
    await dataSource.query('UPDATE delivery_lanes SET available = ? WHERE account_id = ?', [started + 30_000, account.id]);
    expect(await cancelled(message)).toEqual([0, 1, 0]);
    clock.move(31_000);
    expect(await finished(account, id)).toMatchObject({ status: 'cancelled', attempts: 1, outcome: 'unknown' });
    clock.move(HOUR_MS);
    await nextDeliveryCycle(application());
    expect(await readDelivery(account, id)).toMatchObject({ status: 'cancelled', attempts: 1 });
  });

  test('a cancelled delivery that is released unsent is not sent', async () => {
    const attempts = holdAttempts(new OutboundError('aborted', false));
    const [id] = await sendMessage(account, [handler]);
    await attempts.holds(1);
    expect(await cancelled((await readDelivery(account, id)).message_id)).toEqual([0, 1, 0]);
    attempts.release();
    expect(await finished(account, id)).toMatchObject({ status: 'cancelled', attempts: 0, log: [] });
  });

  test('a cancellation between finding and claiming a delivery wins', async () => {
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
    if (dialect.sql.forUpdate === '') counts = await cancelled(message); // SQLite has one writer: nothing comes between
    cycles.mockRestore();
    await nextDeliveryCycle(application());
    expect(counts).toEqual([2, 0, 0]);
    for (const each of [id, other]) expect(await readDelivery(account, each)).toMatchObject({ status: 'cancelled', attempts: 0 });
  });

  test('each delivery is either sent or cancelled while the queue runs', async () => {
    const handlers = [handler, ...(await Promise.all(['/1', '/2', '/3'].map((path) => createWebhook(account, receiver.url(path)))))];
    const messages = await Promise.all(
      Array.from({ length: 25 }, () => account.client.create(MESSAGES, { text: 'x', handler_ids: handlers.join(',') })),
    );
    const counts = await Promise.all(messages.map(cancelled));
    for (const each of counts) expect(each.reduce((sum, count) => sum + count)).toBe(4);
    const ids = (await Promise.all(messages.map((id) => idsOf(account, `${DELIVERIES}?message_id=${id}`)))).flat();
    const ended = await Promise.all(ids.map((id) => finished(account, id)));
    const sent = receiver.requests.map(({ body }) => (JSON.parse(body) as { data: { delivery_id: number } }).data.delivery_id);
    const timesSent = (id: number) => sent.filter((each) => each === id).length;
    for (const { id, status } of ended) expect([id, status]).toEqual([id, ['cancelled', 'delivered'][timesSent(id)]]);
  });

  test('a cancellation that changes something is audited and an event of its key', async () => {
    const attempts = holdAttempts(new OutboundError('timeout', true));
    const [atWork] = await sendMessage(account, [handler]);
    await attempts.holds(1);
    const { message_id: message } = await readDelivery(account, atWork);
    const [later] = await sendMessage(account, [handler], { send_at: rfc3339(HOUR_MS) });
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
    expect((await eventsOf(account, 'message.cancelled')).map(({ record, ...event }) => [record, event.actor])).toEqual([
      [{ type: 'message', id: message }, actor],
      [{ type: 'message', id: other }, actor],
    ]);
    expect((await eventsOf(account, 'delivery.*')).map(({ type, record, actor: by }) => [type, record, by])).toEqual([
      ['delivery.cancelled', { type: 'delivery', id: later }, actor],
      ['delivery.cancelled', { type: 'delivery', id: atWork }, actor],
    ]);
  });

  test('a cancellation counts finished deliveries separately', async () => {
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

  test('a cancellation honors If-Match', async () => {
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(HOUR_MS) });
    const { message_id: message } = await readDelivery(account, id);
    const { etag } = (await account.client.get(`${MESSAGES}/${message}`)).headers as { etag: string };
    expectErrors(await cancel(message).set('If-Match', '"another"'), { code: 'precondition_failed', source: 'header.If-Match' });
    await cancel(message).set('If-Match', etag).expect(200);
    expectErrors(await cancel(message).set('If-Match', etag), { code: 'precondition_failed', source: 'header.If-Match' });
  });

  test('rejects fields, Idempotency-Key, missing scopes and foreign messages', async () => {
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

  test('deleting a handler cancels its deliveries at once, as the deleting key', async () => {
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(HOUR_MS) });
    await account.client.delete(`${HANDLERS}/${handler}`).expect(200);
    expect((await readDelivery(account, id)).status).toBe('cancelled');
    const [event] = await eventsOf(account, 'delivery.cancelled');
    expect(event).toMatchObject({ record: { type: 'delivery', id }, actor: { type: 'key', id: account.keyId } });
  });
});
