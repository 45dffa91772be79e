// Runs on SQLite; in the whole run, on MySQL too.
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError } from '../../../src/platform/outbound/outbound-request';
import { type TestAccount, useApplication } from '../../support/application';
import { idOf } from '../../support/client';
import { holdClock } from '../../support/clock';
import { auditOf, createWebhook, deliveryWhen, finished, onceLogIsRead, readDelivery, sendMessage } from '../../support/deliveries';
import { expectErrors } from '../../support/errors';
import { answer, receiver } from '../../support/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../../support/records';

const DAY_MS = 86_400_000;
const { application } = useApplication();
let account: TestAccount;
let handler: number;

beforeEach(async () => {
  account = await application().createAccount();
  handler = await createWebhook(account, receiver.url());
});

const rfc3339 = (ahead: number) => new Date(Date.now() + ahead).toISOString();
const shown = (time: string) => time.slice(0, 19).replace('T', ' ');

interface MessageBody {
  send_at: string | null;
  expires_at: string | null;
  repeats: number;
  deliveries: Record<string, number>;
}

async function readMessage(id: number): Promise<MessageBody> {
  return ((await account.client.get(`${MESSAGES}/${id}`).expect(200)).body as { data: MessageBody }).data;
}

/** Delivers another account's message, so that a cycle has run since the clock moved. */
async function deliverToNeighbour(): Promise<void> {
  const neighbour = await application().createAccount();
  const [id] = await sendMessage(neighbour, [await createWebhook(neighbour, receiver.url('/neighbour'))]);
  await finished(neighbour, id);
}

const sentToUs = () => receiver.requests.filter(({ path }) => path === '/');

describe('send_at', () => {
  test('holds a message until then, and not longer', async () => {
    const clock = holdClock(application());
    const time = rfc3339(20 * DAY_MS);
    const [id] = await sendMessage(account, [handler], { send_at: time });
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', next_attempt: shown(time), attempts: 0 });
    clock.move(20 * DAY_MS - 10_000);
    await deliverToNeighbour();
    expect(sentToUs()).toEqual([]);
    clock.move(21_000);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
    const { message_id } = await readDelivery(account, id);
    expect(await readMessage(message_id)).toMatchObject({ send_at: shown(time), expires_at: null, repeats: 0 });
  });

  test('does not hold what the handler gets meanwhile', async () => {
    await sendMessage(account, [handler], { send_at: rfc3339(DAY_MS) });
    const [now] = await sendMessage(account, [handler]);
    expect((await finished(account, now)).status).toBe('delivered');
    expect(sentToUs()).toHaveLength(1);
  });

  test('in the past is now, and shown as it was given', async () => {
    const [id] = await sendMessage(account, [handler], { send_at: '2020-01-02 03:04:05' });
    const { message_id } = await finished(account, id);
    expect((await readMessage(message_id)).send_at).toBe('2020-01-02 03:04:05');
  });

  test.each([
    ['2026-11-21 14:30:00', '2026-11-21 14:30:00'],
    ['2026-11-21T14:30:00Z', '2026-11-21 14:30:00'],
    ['2026-11-21t14:30:00.987654z', '2026-11-21 14:30:00'],
    ['2026-11-21T14:30:00+01:00', '2026-11-21 13:30:00'],
    ['2026-11-21T00:30:00.5-23:59', '2026-11-22 00:29:00'],
    ['2024-02-29 23:59:59', '2024-02-29 23:59:59'],
  ])('%s is %s in UTC', async (given, time) => {
    const id = await account.client.create(MESSAGES, { text: 'x', send_at: given });
    expect((await readMessage(id)).send_at).toBe(time);
  });

  test.each([
    ...['', 'tomorrow', '1795500000', '2026-11-21', '2026-11-21T14:30:00', '2026-02-30 10:00:00', '2026-11-21 24:00:00'],
    ...['2026-11-21T14:30:00+24:00', '2026-11-21T14:30:00+0100', '2026-11-21T14:30Z', '2026-11-21 14:30:00.5'],
  ])('must not be %j', async (given) => {
    for (const name of ['send_at', 'expires_at']) {
      const refused = await account.client.send('POST', MESSAGES).send({ text: 'x', [name]: given });
      expectErrors(refused, {
        code: 'invalid_parameter',
        source: `form.${name}`,
        detail: /must be a time YYYY-MM-DD HH:MM:SS in UTC, or /,
      });
    }
  });

  test('is at most 90 days ahead', async () => {
    holdClock(application());
    await account.client.create(MESSAGES, { text: 'x', send_at: rfc3339(90 * DAY_MS - 60_000) });
    const refused = await account.client.post(MESSAGES, { text: 'x', send_at: rfc3339(90 * DAY_MS + 60_000) });
    expectErrors(refused, { code: 'invalid_parameter', source: 'form.send_at', detail: 'send_at must be at most 90 days ahead.' });
  });

  test('of a disabled handler is forgotten with the rest', async () => {
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(DAY_MS) });
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
    expect((await readDelivery(account, id)).status).toBe('cancelled');
  });
});

describe('expires_at', () => {
  test('ends what has not been delivered by then, without another attempt', async () => {
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
    expect((await readMessage(delivery.message_id)).expires_at).toBe(shown(time));
  });

  test('ends what was never attempted with the number 0', async () => {
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

  test('lets an attempt in progress finish, which counts', async () => {
    const clock = holdClock(application());
    const held: (() => void)[] = [];
    const outcomes = [undefined, new OutboundError('timeout', true)];
    jest.spyOn(application().app.get(Outbound), 'post').mockImplementation(async () => {
      const failure = outcomes[held.length];
      await new Promise<void>((resolve) => held.push(resolve));
      if (failure) throw failure;
      return { status: 200, headers: {}, body: '' };
    });
    const ids: number[] = [];
    for (const at of [1, 2]) {
      ids.push(...(await sendMessage(account, [handler], { expires_at: rfc3339(20_000) })));
      while (held.length < at) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    clock.move(21_000);
    for (const id of ids) expect((await readDelivery(account, id)).status).toBe('pending');
    held.forEach((release) => release());
    expect((await finished(account, ids[0])).log.map(({ outcome }) => outcome)).toEqual(['delivered']);
    expect((await finished(account, ids[1])).log.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'timeout'],
      [1, 'expired'],
    ]);
  });

  test('between the reads of a delivery and its log shows in both', async () => {
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

  test('is an event of the delivery that has failed', async () => {
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [handler], { send_at: rfc3339(10_000), expires_at: rfc3339(20_000) });
    jest.spyOn(application().app.get(Outbound), 'post').mockRejectedValue(new OutboundError('unreachable', false));
    clock.move(60_000);
    await finished(account, id);
    const { body } = await account.client.get('/api/events?types=delivery.failed');
    const { data } = body as { data: object[] };
    expect(data).toEqual([expect.objectContaining({ record: { type: 'delivery', id }, actor: { type: 'service', id: null } })]);
    expect(data[0]).toMatchObject({ data: { handler_id: handler, outcome: 'expired' } });
  });

  test('makes retries a 409, alone and in bulk', async () => {
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

  test('still ends what was retried', async () => {
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
  ])('must not be %s', async (_, fields, ahead) => {
    const refused = await account.client.post(MESSAGES, { text: 'x', ...fields, expires_at: rfc3339(ahead) });
    const detail = 'expires_at must be in the future, and after send_at.';
    expectErrors(refused, { code: 'invalid_parameter', source: 'form.expires_at', detail });
  });
});

test('every violation is in one answer, once each field is right by itself', async () => {
  const fields = { text: 'x', handler_ids: '2147483647', send_at: rfc3339(91 * DAY_MS), expires_at: rfc3339(DAY_MS), dedup_seconds: '5' };
  const namesOf = (body: unknown) => (body as { errors: { source: { name: string } }[] }).errors.map(({ source }) => source.name);
  const { body } = await account.client.post(MESSAGES, fields).expect(400);
  expect(namesOf(body)).toEqual(['send_at', 'expires_at', 'dedup_seconds']); // the handlers depend on stored data
  const wrong = await account.client.post(MESSAGES, { ...fields, title: 'a\nb', url: 'x' }).expect(400);
  expect(namesOf(wrong.body)).toEqual(['title', 'url']);
});

test('times of a message are not audited, nor its expiry', async () => {
  const clock = holdClock(application());
  const created = await account.client.post(MESSAGES, { text: 'x', send_at: rfc3339(5_000), expires_at: rfc3339(6_000) }).expect(201);
  clock.move(10_000);
  await deliverToNeighbour();
  expect(await auditOf(application(), account, 'message')).toEqual([
    expect.objectContaining({ action: 'create', record_id: idOf(created) }),
  ]);
  expect(await auditOf(application(), account, 'delivery')).toEqual([]);
});
