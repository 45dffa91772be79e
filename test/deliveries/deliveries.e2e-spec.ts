/** @mysql whole */
import { EventEmitter, once } from 'node:events';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Enqueuer } from '../../src/deliveries/queue/enqueuer';
import { AttemptRunner } from '../../src/deliveries/sending/attempt-runner';
import { SigningSecretsService } from '../../src/notification-handlers/signing-secrets.service';
import { PUBLIC_URL, type TestAccount, useApplication } from '../support/http/application';
import {
  auditOf,
  createWebhook,
  deliveryWhen,
  failedDelivery,
  finished,
  idsOf,
  onceLogIsRead,
  pageOf,
  readDelivery,
  sendMessage,
  webhookIdIn,
  nextDeliveryCycle,
} from '../support/areas/deliveries';
import { idOf, untilServed } from '../support/http/client';
import { holdClock } from '../support/jest/clock';
import { expectErrors } from '../support/http/errors';
import { type Answer, answer, cut, receiver } from '../support/servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../support/areas/records';

const { application } = useApplication();
let account: TestAccount;
/** A webhook that accepts deliveries. */
let reachable: number;

beforeAll(async () => {
  account = await application().createAccount();
  reachable = await createWebhook(account, receiver.url('/reachable'));
});

const webhookAt = (path: string) => createWebhook(account, receiver.url(path));
const requestsTo = (path: string) => receiver.requests.filter((request) => request.path === path);
const retry = (id: number) => account.client.post(`${DELIVERIES}/${id}/retry`);
const attempted = (id: number, times = 1) => deliveryWhen(account, id, ({ log }) => log.length === times);

describe('delivery attempt', () => {
  test('failed attempts follow the retry schedule, until the delivery fails', async () => {
    receiver.answer = answer(503);
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [await webhookAt('/hook')]);
    for (const [index, wait] of [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].entries()) {
      await attempted(id, index + 1);
      clock.move(wait * 1_100);
    }
    const delivery = await finished(account, id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 9, next_attempt: null });
  });

  test('each attempt uses the current settings and secrets', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const handler = await webhookAt('/old');
    const [id] = await sendMessage(account, [handler]);
    await attempted(id);
    const before = await secretOf(handler);
    await account.client.post(`${HANDLERS}/${handler}`, { webhook: receiver.url('/new') }).expect(200);
    await account.client.post(`${HANDLERS}/${handler}/signing-secret`).expect(200);
    receiver.answer = answer(204);
    clock.move(6_000);
    await finished(account, id);
    expect([requestsTo('/old').length, requestsTo('/new').length]).toEqual([1, 1]);
    const [{ body, headers }] = requestsTo('/new');
    for (const secret of [before, await secretOf(handler)]) new Webhook(secret).verify(body, headers as Record<string, string>);
  });

  test('the log shows neither the receiver’s address, path nor body', async () => {
    receiver.answers.add({ host: 'tls.example', answers: [{ fault: 'tls' }] });
    const cases: [url: string, answer: Answer, outcome: string, status: number | null][] = [
      [receiver.url('/secret-path'), answer(503, {}, 'secret-body'), 'server_error', 503],
      [receiver.url('/secret-path'), answer(302, { Location: receiver.url('/elsewhere') }), 'rejected', 302],
      [receiver.url('/secret-path'), cut, 'unknown', null],
      ['http://refuse.example/secret-path', cut, 'unreachable', null],
      ['https://tls.example/secret-path', cut, 'tls_error', null],
      ['http://10.0.0.1/secret-path', cut, 'blocked_address', null],
      ['http://secret.localhost/secret-path', cut, 'blocked_address', null],
      ['', cut, 'not_configured', null],
    ];
    for (const [url, respond, outcome, status] of cases) {
      receiver.answer = respond;
      const [id] = await sendMessage(account, [await createWebhook(account, url)]);
      const { log } = await attempted(id);
      expect(log).toEqual([expect.objectContaining({ outcome, status })]);
      expect(log[0].detail).toMatch(/^[A-Zw].*\.$/);
      expect(log[0].detail).not.toMatch(/secret|example|127\.0|10\.0|localhost|\d{4}/);
    }
    expect(requestsTo('/elsewhere')).toEqual([]);
  });

  test('no attempt is made before the message is committed', async () => {
    const enqueuer = application().app.get(Enqueuer);
    const enqueue = enqueuer.enqueue.bind(enqueuer);
    const steps = new EventEmitter();
    const written = once(steps, 'written');
    jest.spyOn(enqueuer, 'enqueue').mockImplementationOnce(async (...given) => {
      await enqueue(...given);
      steps.emit('written');
      await once(steps, 'commit');
    });
    const handler = await webhookAt('/later');
    const load = jest.spyOn(application().app.get(AttemptRunner), 'load');
    const sent = account.client.post(MESSAGES, { text: 'Later.', handler_ids: String(handler) }).then();
    await written;
    await nextDeliveryCycle(application());
    expect(load.mock.calls.flat(2).filter(({ handlerId }) => handlerId === handler)).toEqual([]);
    steps.emit('commit');
    await finished(account, (await idsOf(account, `${DELIVERIES}?message_id=${idOf(await sent)}`))[0]);
    expect(requestsTo('/later')).toHaveLength(1);
  });

  test('no attempt is made when the message is rolled back', async () => {
    const enqueuer = application().app.get(Enqueuer);
    const enqueue = enqueuer.enqueue.bind(enqueuer);
    jest.spyOn(enqueuer, 'enqueue').mockImplementationOnce(async (...given) => {
      await enqueue(...given);
      throw new Error('rolled back');
    });
    const key = { 'Idempotency-Key': 'rolled-back' };
    const handler_ids = String(await webhookAt('/rolled-back'));
    const fields = { text: 'Rolled back.', handler_ids };
    expectErrors(await account.client.post(MESSAGES, fields).set(key), { code: 'internal_error' });
    expect((await application().rows('messages')).filter(({ text }) => text === 'Rolled back.')).toEqual([]);
    expect(await idsOf(account, `${DELIVERIES}?handler_id=${handler_ids}`)).toEqual([]);
    await account.client.post(MESSAGES, fields).set(key).expect(201);
  });
});

async function secretOf(handler: number): Promise<string> {
  const { body } = await account.client.get(`${HANDLERS}/${handler}/signing-secret`).expect(200);
  return (body as { data: { secret: string } }).data.secret;
}

describe('webhook request', () => {
  test('all attempts and retries send the same body and webhook-id, each signed', async () => {
    const clock = holdClock(application());
    const handler = await webhookAt('/signed');
    const texts = { title: 'Äpfel', text: 'Zeile 1\n<b>Zeile 2</b> 😀', url: 'https://example.com/x' };
    receiver.answer = answer(503);
    const [id] = await sendMessage(account, [handler], texts);
    await attempted(id);
    receiver.answer = answer(410);
    clock.move(6_000);
    const { message_id } = await finished(account, id);
    receiver.answer = answer(201);
    await retry(id).expect(200);
    await finished(account, id);

    const requests = requestsTo('/signed');
    expect(requests).toHaveLength(3);
    const { datetime } = ((await account.client.get(`${MESSAGES}/${message_id}`)).body as { data: { datetime: string } }).data;
    const data = { message_id, delivery_id: id, title: texts.title, text: texts.text, url: texts.url };
    const body = JSON.stringify({ type: 'message', timestamp: `${datetime.replace(' ', 'T')}Z`, data });
    expect(requests.map((request) => request.body)).toEqual([body, body, body]);
    const webhookId = await webhookIdIn(application(), id);
    expect(requests.map(({ method, headers }) => [method, headers['webhook-id']])).toEqual(Array(3).fill(['POST', webhookId]));
    const sent = requests.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(sent[1] - sent[0]).toBe(6);
    const secret = await secretOf(handler);
    const webhook = new Webhook(secret);
    for (const { headers } of requests) expect(webhook.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  });
});

describe('traceparent', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = '00f067aa0ba902b7';
  const send = async (handler: number, traceparent?: string) => {
    const sent = account.client.post(MESSAGES, { text: 'Traced.', handler_ids: String(handler) });
    const id = idOf(await sent.set(traceparent === undefined ? {} : { traceparent }).expect(201));
    return (await idsOf(account, `${DELIVERIES}?message_id=${id}`))[0];
  };
  const headersOf = (path: string) => requestsTo(path).map(({ headers }) => headers.traceparent);

  test('each attempt continues the trace of the request, with a new parent id', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const id = await send(await webhookAt('/traced'), `00-${TRACE}-${PARENT}-01`);
    await attempted(id);
    receiver.answer = answer(200);
    clock.move(6_000);
    await finished(account, id);
    for (const header of headersOf('/traced')) expect(header).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`));
    expect(new Set(headersOf('/traced')).size).toBe(2);
  });

  test.each([undefined, `00-${'0'.repeat(32)}-${PARENT}-01`])('no traceparent is sent for %s', async (traceparent) => {
    await finished(account, await send(await webhookAt('/untraced'), traceparent));
    expect(headersOf('/untraced')).toEqual([undefined]);
  });
});

test('Retry-After of a 429 delays all deliveries of its handler only', async () => {
  const clock = holdClock(application());
  const handler = await webhookAt('/limited');
  receiver.answer = (response, request) => answer(request.path === '/limited' ? 429 : 200, { 'Retry-After': '120' })(response, request);
  const [first] = await sendMessage(account, [handler]);
  const { next_attempt, log } = await attempted(first);
  expect(Date.parse(`${next_attempt}Z`) - Date.parse(`${log[0].datetime}Z`)).toBe(120_000);
  expect(log[0]).toMatchObject({ outcome: 'rate_limited', status: 429 });
  const [second] = await sendMessage(account, [handler]);
  clock.move(119_000);
  expect(await finished(account, (await sendMessage(account, [reachable]))[0])).toMatchObject({ status: 'delivered' });
  expect(await readDelivery(account, first)).toMatchObject({ attempts: 1 });
  expect(await readDelivery(account, second)).toMatchObject({ status: 'pending', attempts: 0, log: [] });
  receiver.answer = answer(200);
  clock.move(1_001);
  for (const id of [first, second]) expect(await finished(account, id)).toMatchObject({ status: 'delivered' });
  expect(requestsTo('/limited')).toHaveLength(3);
});

describe('unavailable handler', () => {
  const changes: [change: string, work: (handler: number) => Promise<unknown>][] = [
    ['disabled', (handler) => account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200)],
    ['deleted', (handler) => account.client.delete(`${HANDLERS}/${handler}`).expect(200)],
    [
      'changed to another type',
      (handler) => account.client.post(`${HANDLERS}/${handler}`, { type: 'slack', slack: receiver.url('/slack') }).expect(200),
    ],
  ];

  test.each(changes)('deliveries to a handler that is %s are cancelled and cannot be retried', async (_, change) => {
    const handler = await webhookAt('/leaving');
    const failed = await failedDelivery(account, handler);
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const [id] = await sendMessage(account, [handler]);
    await attempted(id);
    await change(handler);
    receiver.reset();
    clock.move(6_000);
    const delivery = await finished(account, id);
    expect(delivery).toMatchObject({ status: 'cancelled', attempts: 1, next_attempt: null, type: 'webhook', log: [{ number: 1 }] });
    const { body } = await account.client.get(`${MESSAGES}/${delivery.message_id}`);
    expect(body).toMatchObject({ data: { deliveries: { pending: 0, delivered: 0, failed: 0, cancelled: 1 } } });
    expectErrors(await retry(id), { code: 'delivery_not_failed' });
    expectErrors(await retry(failed), { code: 'handler_unavailable' });
    await nextDeliveryCycle(application());
    expect(await readDelivery(account, failed)).toMatchObject({ status: 'failed', attempts: 1 });
    expect([...requestsTo('/leaving'), ...requestsTo('/slack')]).toEqual([]);
  });

  test.each(changes.slice(1))('the first attempt is cancelled if its handler is %s before it has a signing secret', async (_, change) => {
    const faults = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const secrets = application().app.get(SigningSecretsService);
    const findSigning = secrets.findSigning.bind(secrets);
    const handler = await webhookAt('/early');
    jest.spyOn(secrets, 'findSigning').mockImplementationOnce(async (...given) => {
      await change(handler);
      return findSigning(...given);
    });
    const [id] = await sendMessage(account, [handler]);
    expect(await finished(account, id)).toMatchObject({ status: 'cancelled', attempts: 0, log: [] });
    expect([requestsTo('/early').length, faults.mock.calls]).toEqual([0, []]);
  });

  test('disabling a handler cancels its deliveries at once, and enabling it does not restore them', async () => {
    const clock = holdClock(application());
    const handler = await webhookAt('/paused');
    receiver.answer = answer(503);
    const [id] = await sendMessage(account, [handler]);
    await attempted(id);
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '1' }).expect(200);
    expect(await readDelivery(account, id)).toMatchObject({ status: 'cancelled', attempts: 1 });
    receiver.answer = answer(200);
    clock.move(86_400_000);
    const [next] = await sendMessage(account, [handler]);
    await finished(account, next);
    expect(await readDelivery(account, id)).toMatchObject({ status: 'cancelled', attempts: 1 });
    expect(requestsTo('/paused')).toHaveLength(2);
  });
});

describe('POST /api/deliveries/:delivery_id/retry', () => {
  test('a retry is due now, restarts the retry schedule and keeps counting attempts', async () => {
    const id = await failedDelivery(account, await webhookAt('/again'));
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const answered = await account.client.post(`${DELIVERIES}/${id}/retry/`).set('X-Request-Id', 'again').expect(200);
    expect(answered.text).toBe(JSON.stringify({ data: { id } }));
    const { next_attempt, log } = await attempted(id, 2);
    const wait = Date.parse(`${next_attempt}Z`) - Date.parse(`${log[1].datetime}Z`);
    expect([4_000, 5_000, 6_000]).toContain(wait);
    receiver.answer = answer(200);
    clock.move(6_000);
    const delivery = await finished(account, id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 3, next_attempt: null });
    expect(delivery.log.map(({ number, outcome }) => `${number} ${outcome}`)).toEqual(['1 rejected', '2 server_error', '3 delivered']);
    const entries = (await auditOf(application(), account, 'delivery')).filter(({ record_id }) => record_id === id);
    expect(entries).toEqual([expect.objectContaining({ action: 'retry', key_id: account.keyId, request_id: 'again' })]);
  });

  test('returns 409 for a pending or delivered delivery', async () => {
    receiver.answer = answer(503);
    const handler = await webhookAt('/busy');
    const [pending] = await sendMessage(account, [handler]);
    await attempted(pending);
    expectErrors(await retry(pending), { code: 'delivery_not_failed', detail: /pending/ });
    receiver.answer = answer(200);
    const [delivered] = await sendMessage(account, [reachable]);
    await finished(account, delivered);
    expectErrors(await retry(delivered), { code: 'delivery_not_failed', detail: /delivered/ });
    expect(await readDelivery(account, delivered)).toMatchObject({ attempts: 1 });
  });

  test('rejects fields, and keys without messages:write', async () => {
    const id = await failedDelivery(account, await webhookAt('/strict'));
    const named = await account.client.post(`${DELIVERIES}/${id}/retry`, { now: '1' });
    expectErrors(named, { code: 'unknown_parameter', source: 'form.now' });
    const { client } = await application().createKey(account.id, { scopes: ['messages:read', 'notification-handlers:write'] });
    expectErrors(await client.post(`${DELIVERIES}/${id}/retry`), { code: 'insufficient_scope', source: 'header.Authorization' });
    await client.get(`${DELIVERIES}/${id}`).expect(200);
  });

  test('a retry with an Idempotency-Key is made once', async () => {
    const id = await failedDelivery(account, await webhookAt('/once'));
    const [first, again] = [await retry(id).set('Idempotency-Key', 'retry'), await retry(id).set('Idempotency-Key', 'retry')];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
    await retry(id).set('Idempotency-Key', 'retry').expect(200, first.text);
    expect((await readDelivery(account, id)).attempts).toBe(2);
    expectErrors(await retry(id), { code: 'delivery_not_failed' });
  });

  test('a retry honors If-Match', async () => {
    const id = await failedDelivery(account, await webhookAt('/tagged'));
    const { headers } = await account.client.get(`${DELIVERIES}/${id}`);
    const { etag } = headers as { etag: string };
    const stale = await retry(id).set('If-Match', '"another"');
    expectErrors(stale, { code: 'precondition_failed', source: 'header.If-Match' });
    await retry(id).set('If-Match', etag).expect(200);
    await finished(account, id);
    expectErrors(await retry(id).set('If-Match', etag), { code: 'precondition_failed', source: 'header.If-Match' });
  });
});

describe('POST /api/deliveries/retry', () => {
  const RETRY = `${DELIVERIES}/retry`;
  const retryMany = async ({ client }: TestAccount, fields: Record<string, string>) => (await client.post(RETRY, fields).expect(200)).text;
  const counts = (retried: number, skipped: number) => JSON.stringify({ data: { retried, skipped } });
  let owner: TestAccount;
  beforeEach(async () => (owner = await application().createAccount()));

  test('retries failed deliveries that match all fields, and skips those without a handler', async () => {
    const handlers: number[] = [];
    for (const path of ['/a', '/b', '/c']) handlers.push(await createWebhook(owner, receiver.url(path)));
    receiver.answer = (response, request) => answer(request.path === '/delivered' ? 200 : 410)(response, request);
    const delivered = await createWebhook(owner, receiver.url('/delivered'));
    const ids = await sendMessage(owner, [...handlers, delivered]);
    const others = await sendMessage(owner, handlers);
    for (const id of [...ids, ...others]) await finished(owner, id);
    await owner.client.post(`${HANDLERS}/${handlers[2]}`, { is_enabled: '0' }).expect(200);
    receiver.reset();
    const { message_id } = await readDelivery(owner, ids[0]);

    const message = { message_id: String(message_id) };
    for (const other of ['status=delivered', 'outcome=timeout', 'created_until=2020-01-01', 'handler_id=0'])
      expect(await retryMany(owner, { ...message, ...Object.fromEntries(new URLSearchParams(other)) })).toBe(counts(0, 0));
    expect(await retryMany(account, message)).toBe(counts(0, 0));
    const request = owner.client.post(RETRY, { ...message, outcome: 'rejected', created_from: '2020-01-01', changed_since: '2020-01-01' });
    expect((await request.set('X-Request-Id', 'many').expect(200)).text).toBe(counts(2, 1));

    for (const id of ids.slice(0, 2)) expect(await finished(owner, id)).toMatchObject({ status: 'delivered', attempts: 2 });
    for (const id of [ids[2], ...others]) expect(await readDelivery(owner, id)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(receiver.requests.filter(({ path }) => ['/a', '/b', '/c', '/delivered'].includes(path ?? ''))).toHaveLength(2);
    const entries = await auditOf(application(), owner, 'delivery');
    expect(entries).toMatchObject(ids.slice(0, 2).map((id) => ({ action: 'retry', record_id: id, request_id: 'many' })));
    expect(await retryMany(owner, { status: 'failed', handler_id: String(handlers[0]) })).toBe(counts(1, 0));
    expect(await finished(owner, others[0])).toMatchObject({ status: 'delivered' });
  });

  test('a bulk retry retries 1,000 deliveries per request', async () => {
    const [gone, kept] = [await createWebhook(owner, receiver.url()), await createWebhook(owner, receiver.url())];
    const copies = async (handler: number, count: number) => {
      const id = await failedDelivery(owner, handler);
      const columns = 'account_id, message_id, handler_id, type, lane, status, attempts, tries, is_counted, part, last_datetime, datetime';
      const copy = `INSERT INTO deliveries (${columns}) SELECT ${columns} FROM deliveries WHERE handler_id = ? ORDER BY id LIMIT ?`;
      for (let done = 1; done < count; done *= 2) await application().dataSource.query(copy, [handler, count - done]);
      return id;
    };
    await copies(gone, 3);
    await copies(kept, 1_002);
    await owner.client.delete(`${HANDLERS}/${gone}`).expect(200);
    receiver.answer = () => undefined;
    expect(await retryMany(owner, { status: 'failed' })).toBe(counts(1_000, 0));
    expect(await retryMany(owner, { status: 'failed' })).toBe(counts(2, 3));
    expect(await retryMany(owner, { status: 'failed' })).toBe(counts(0, 3));
    const { meta } = await pageOf(owner, `${DELIVERIES}?status=failed`);
    expect(meta.total).toBe(3);
    await owner.client.post(`${HANDLERS}/${kept}`, { is_enabled: '0' }).expect(200); // cancels pending deliveries
  });

  test('concurrent retries, single or in bulk, make each attempt once', async () => {
    const handler = await createWebhook(owner, receiver.url('/twice'));
    receiver.answer = answer(410);
    const ids: number[] = [];
    for (let count = 0; count < 12; count++) ids.push(...(await sendMessage(owner, [handler])));
    for (const id of ids) await finished(owner, id);
    receiver.reset();
    const single = (id: number) => untilServed(() => owner.client.post(`${DELIVERIES}/${id}/retry`));
    const [first, second, ...others] = await Promise.all([
      untilServed(() => owner.client.post(RETRY, { status: 'failed' })),
      untilServed(() => owner.client.post(RETRY, { outcome: 'rejected' })),
      ...ids.slice(6).map(single),
    ]);
    const retried = [first, second].map(({ body }) => (body as { data: { retried: number } }).data.retried);
    const made = retried[0] + retried[1] + others.filter(({ status }) => status === 200).length;
    expect(made).toBe(ids.length);
    for (const id of ids) expect(await finished(owner, id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(requestsTo('/twice')).toHaveLength(ids.length);
  });

  test('requires a filter and messages:write, and rejects Idempotency-Key', async () => {
    const names = 'message_id, handler_id, step, status, outcome, created_from, created_until, changed_since';
    expectErrors(await owner.client.post(RETRY), { code: 'missing_parameter', detail: `At least one of these is required: ${names}.` });
    expectErrors(await owner.client.post(RETRY, { status: 'lost' }), { code: 'invalid_parameter', source: 'form.status' });
    expectErrors(await owner.client.post(RETRY, { page: '1' }), { code: 'unknown_parameter', source: 'form.page' });
    const keyed = owner.client.post(RETRY, { status: 'failed' }).set('Idempotency-Key', 'many');
    expectErrors(await keyed, { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
    const { client } = await application().createKey(owner.id, { scopes: ['messages:read'] });
    expectErrors(await client.post(RETRY, { status: 'failed' }), { code: 'insufficient_scope', source: 'header.Authorization' });
  });
});

describe('GET /api/deliveries/:delivery_id', () => {
  test('a delivery has its fields in order and its log', async () => {
    const handler = await webhookAt('/ordered');
    const [id] = await sendMessage(account, [handler]);
    const { message_id, last_datetime, datetime, log } = await finished(account, id);
    const { text } = await account.client.get(`${DELIVERIES}/${id}`);
    const fields = { id, message_id, handler_id: handler, step: 0, type: 'webhook', status: 'delivered', outcome: 'delivered' };
    const record = { ...fields, attempts: 1, next_attempt: null, receipt: null, last_datetime, datetime };
    const [{ datetime: started, duration_ms }] = log;
    const attempt = { number: 1, datetime: started, duration_ms, outcome: 'delivered', status: 200, detail: 'The receiver answered 200.' };
    expect(text).toBe(JSON.stringify({ data: { ...record, log: [attempt] } }));
    for (const time of [last_datetime, datetime, started]) expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(Number.isInteger(duration_ms)).toBe(true);
    const page = await account.client.get(`${DELIVERIES}?message_id=${message_id}`);
    expect(page.text.startsWith(JSON.stringify({ data: [record] }).slice(0, -1))).toBe(true);
  });

  test('outcome is the last finished attempt’s: null before, and kept by a retry', async () => {
    const requests = new EventEmitter();
    const hold = async (status: number): Promise<() => void> => {
      receiver.answer = (response, request) => {
        if (request.path === '/outcome') requests.emit('request', () => answer(status)(response, request));
        else answer(200)(response, request); // a late request of another test
      };
      const [release] = (await once(requests, 'request')) as [() => void];
      return release;
    };
    const [arrives, sent] = [hold(410), sendMessage(account, [await webhookAt('/outcome')])];
    const [release, [id]] = await Promise.all([arrives, sent]);
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', outcome: null, attempts: 1 });
    release();
    expect(await finished(account, id)).toMatchObject({ status: 'failed', outcome: 'rejected' });
    const [releaseAgain] = await Promise.all([hold(200), retry(id).expect(200)]);
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', outcome: 'rejected', attempts: 2 });
    releaseAgain();
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', outcome: 'delivered' });
  });

  test('a delivery and its log are read in one snapshot', async () => {
    const handler = await webhookAt('/torn');
    const steps = new EventEmitter();
    receiver.answer = (response, request) => {
      if (request.path === '/torn') steps.once('answer', () => answer(200)(response, request));
      else answer(200)(response, request);
      steps.emit(request.path);
    };
    const arrived = once(steps, '/torn');
    const [id] = await sendMessage(account, [handler]);
    await arrived;
    let happened = false;
    onceLogIsRead(application(), async () => {
      happened = true;
      steps.emit('answer');
      await finished(account, id);
    });
    const delivery = await readDelivery(account, id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, next_attempt: null, log: [{ number: 1 }] });
    expect(happened).toBe(true);
  });

  test('the ETag changes with each attempt', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const [id] = await sendMessage(account, [await webhookAt('/tag')]);
    await attempted(id);
    const read = () => account.client.get(`${DELIVERIES}/${id}`);
    const { etag } = (await read().expect(200)).headers as { etag: string };
    const unchanged = await read().set('If-None-Match', etag).expect(304);
    expect([unchanged.text, unchanged.headers.etag]).toEqual(['', etag]);
    clock.move(6_000);
    await attempted(id, 2);
    await read().set('If-None-Match', etag).expect(200);
  });

  test('deliveries are counted in their message', async () => {
    const handlers = [reachable, await webhookAt('/410'), await webhookAt('/503')];
    receiver.answer = (response, request) => answer(Number(/^\/(\d+)$/.exec(request.path)?.[1] ?? 200))(response, request);
    const ids = await sendMessage(account, handlers);
    for (const id of ids) await attempted(id);
    const { message_id } = await readDelivery(account, ids[0]);
    const { body } = await account.client.get(`${MESSAGES}/${message_id}`);
    expect(body).toMatchObject({ data: { deliveries: { pending: 1, delivered: 1, failed: 1, cancelled: 0 } } });
  });
});

describe('GET /api/deliveries', () => {
  let owner: TestAccount;
  let handlers: number[];
  let messages: number[];
  /** Of the first message, then of the second. */
  let ids: number[];

  beforeAll(async () => {
    owner = await application().createAccount();
    receiver.answer = (response, request) => answer(request.path === '/410' ? 410 : 200)(response, request);
    handlers = [await createWebhook(owner, receiver.url('/200')), await createWebhook(owner, receiver.url('/410'))];
    ids = [...(await sendMessage(owner, handlers)), ...(await sendMessage(owner, handlers))];
    for (const id of ids) await finished(owner, id);
    messages = await idsOf(owner, MESSAGES);
  });

  test('filters by message, within the account, and keeps the filter in page links', async () => {
    const found = (filter: string) => idsOf(owner, `${DELIVERIES}${filter}`);
    expect(await found('')).toEqual(ids);
    expect(await found(`?message_id=${messages[1]}`)).toEqual(ids.slice(2));
    expect(await found(`/?status=delivered&handler_id=${handlers[0]}&message_id=${messages[0]}`)).toEqual([ids[0]]);
    for (const unknown of ['2147483647', '9'.repeat(30)]) expect(await found(`?message_id=${unknown}`)).toEqual([]);
    expect(await idsOf(account, `${DELIVERIES}?message_id=${messages[0]}`)).toEqual([]);
    const { links } = await pageOf(owner, `${DELIVERIES}?status=failed&message_id=${messages[0]}`);
    expect(links.self).toBe(`${PUBLIC_URL}/api/deliveries?&page=1&message_id=${messages[0]}&status=failed`);
  });

  test.each([
    ['message_id', ['', 'x', '-1', '1.0', '1,2', '%201', '1&message_id=1']],
    ['handler_id', ['x', '1&handler_id=1']],
    ['status', ['', 'Failed', 'done', 'pending,failed']],
  ])('rejects other values of %s: %j', async (name, values) => {
    for (const value of values)
      expectErrors(await owner.client.get(`${DELIVERIES}?${name}=${value}`), { code: 'invalid_parameter', source: `query.${name}` });
  });

  test('rejects unknown parameters', async () => {
    expectErrors(await owner.client.get(`${DELIVERIES}?type=webhook`), { code: 'unknown_parameter', source: 'query.type' });
    expectErrors(await owner.client.get(`${DELIVERIES}/${ids[0]}?status=failed`), { code: 'unknown_parameter', source: 'query.status' });
  });
});
