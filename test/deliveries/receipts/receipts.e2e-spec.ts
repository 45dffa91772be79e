/** @mysql whole */
import { createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { Dialect } from '../../../src/platform/database/dialect';
import { EntityManager } from 'typeorm';
import { Receipts, DeliverySid } from '../../../src/deliveries/receipts/receipts';
import { Retention } from '../../../src/messages/retention';
import { Metrics } from '../../../src/platform/observability/metrics';
import { PUBLIC_URL, type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { holdClock, until } from '../../support/jest/clock';
import { createWebhook, eventsOf, finished, pageOf, readDelivery, readMessage, sendMessage } from '../../support/areas/deliveries';
import { expectErrors } from '../../support/http/errors';
import { freePort } from '../../support/servers/free-port.cjs';
import { answer, cut, receiver, type ReceivedRequest } from '../../support/servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../../support/areas/records';

const PATH = '/callbacks/twilio';
const DAY_MS = 86_400_000;
const TWILIO = {
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: '12345',
  TWILIO_FROM: '+15005550006',
  TWILIO_WHATSAPP_FROM: '+15005550007',
  TWILIO_STATUS: 'on',
};
const SOURCE = 'header.X-Twilio-Signature';
const SENTENCE = 'The backup failed.';

let account: TestAccount;
let sids = 0;

const { application, database } = useApplication({ ...TWILIO, TWILIO_API_URL: receiver.url('') });

beforeEach(async () => {
  account = await application().createAccount();
  receiver.answer = (response, request) => created(newSid(request), response);
});

const newSid = ({ path }: ReceivedRequest) => `${path.includes('Calls') ? 'CA' : 'SM'}${String(++sids).padStart(32, '0')}`;
const created = (sid: string, response: ServerResponse) =>
  void response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid, status: 'queued' }));
const newHandler = (type: string, name = 'Night shift') =>
  account.client.create(HANDLERS, { name, type, [type]: type === 'webhook' ? receiver.url() : '+14155550100' });

const truncated = (response: ServerResponse, then?: () => void) =>
  void response.writeHead(201, { 'content-length': '99' }).write('{"sid":"SM_cut"', then);

type Form = Record<string, string>;

/** As Twilio describes it, apart from the code: https://www.twilio.com/docs/usage/security#validating-requests */
function sign(fields: Form, url = PUBLIC_URL + PATH, token = TWILIO.TWILIO_AUTH_TOKEN): string {
  const text = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name]);
  return createHmac('sha1', token)
    .update(url + text.join(''))
    .digest('base64');
}

function post(fields: Form, signature = sign(fields), path = PATH, to = application()) {
  return to.client().send('POST', path).type('form').set('X-Twilio-Signature', signature).send(fields);
}

const message = (MessageSid: string, MessageStatus: string, more: Form = {}): Form => ({
  AccountSid: 'AC1',
  ApiVersion: '2010-04-01',
  MessageSid,
  SmsSid: MessageSid,
  MessageStatus,
  SmsStatus: MessageStatus,
  To: '+14155550100',
  From: '+15005550006',
  ...more,
});
/** More fields than a form of the API may have, some empty or with spaces. */
const call = (CallSid: string, CallStatus: string, more: Form = {}): Form => ({
  AccountSid: 'AC1',
  ApiVersion: '2010-04-01',
  CallSid,
  CallStatus,
  Direction: 'outbound-api',
  ForwardedFrom: '',
  CallbackSource: 'call-progress-events',
  SequenceNumber: '0',
  Timestamp: 'Tue, 24 Nov 2026 08:00:00 +0000',
  From: '+15005550006',
  FromCity: ' SAN BRUNO',
  FromState: 'CA',
  FromZip: '',
  FromCountry: 'US',
  To: '+14155550100',
  ToCity: 'São Paulo ',
  ToState: '',
  ToZip: '',
  ToCountry: 'US',
  Caller: '+15005550006',
  Called: '+14155550100',
  ...more,
});

interface Receipt {
  status: string;
  code: number | null;
  datetime: string;
}

const receiptOf = async (id: number) => (await readDelivery(account, id)).receipt;
const deliveryEventsOf = async (id: number) => (await eventsOf(account, 'delivery.*')).filter(({ record }) => record.id === id);
const receiptEventsOf = async (id: number) => (await deliveryEventsOf(id)).filter(({ type }) => type === 'delivery.receipt');

/** A delivery that Twilio has accepted, and its sid. */
async function sent(type = 'twilio'): Promise<{ id: number; sid: string }> {
  let sid = '';
  receiver.answer = (response, request) => created((sid = newSid(request)), response);
  const [id] = await sendMessage(account, [await newHandler(type)]);
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', receipt: null });
  return { id, sid };
}

describe('status report', () => {
  test('a delivery has its receipt, alone and in lists, between next_attempt and last_datetime', async () => {
    const { id, sid } = await sent();
    expect(new URLSearchParams(receiver.requests[0].body).get('StatusCallback')).toBe(PUBLIC_URL + PATH);
    await post(message(sid, 'sent')).expect(204, '');
    await post(message(sid, 'undelivered', { ErrorCode: '30003' })).expect(204, '');
    const delivery = await readDelivery(account, id);
    expect(delivery).toMatchObject({ status: 'delivered', outcome: 'delivered', receipt: { status: 'undelivered', code: 30003 } });
    expect(delivery.receipt!.datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(delivery.last_datetime! >= delivery.receipt!.datetime).toBe(true);
    const keys = ['next_attempt', 'receipt', 'last_datetime', 'datetime'];
    expect(Object.keys(delivery).slice(-5)).toEqual([...keys, 'log']);
    const { data } = await pageOf<{ id: number; receipt: Receipt | null }>(account, DELIVERIES);
    expect(Object.keys(data[0]).slice(-4)).toEqual(keys);
    expect(data).toMatchObject([{ id, receipt: { status: 'undelivered', code: 30003, datetime: delivery.receipt!.datetime } }]);
  });

  test.each([
    ['twilio', ['queued', 'sending', 'sent', 'delivered', 'read']],
    ['whatsapp', ['sent', 'delivered', 'read']],
    ['twilio_call', ['queued', 'ringing', 'in-progress', 'completed']],
  ])('reports of %s keep the furthest status and send an event per change', async (type, statuses) => {
    const { id, sid } = await sent(type);
    const formOf = type === 'twilio_call' ? call : message;
    for (const status of statuses.flatMap((each) => [each, each])) await post(formOf(sid, status)).expect(204);
    expect((await receiptOf(id))?.status).toBe(statuses.at(-1));
    const actor = { type: 'service', id: null };
    const expected = statuses.map((status) => ({ type: 'delivery.receipt', actor, data: { status, code: null } }));
    expect(await receiptEventsOf(id)).toMatchObject(expected);
  });

  test.each([
    [['sent', 'delivered'], 'cancelled'],
    [['sent', 'undelivered'], 'delivered'],
  ])('until=delivered follows the report, not the 201: %j', async (statuses, next) => {
    const clock = holdClock(application());
    const phone = await newHandler('twilio');
    let sid = '';
    receiver.answer = (response, request) =>
      request.path === '/hook' ? answer(200)(response, request) : created((sid = newSid(request)), response);
    const hook = await createWebhook(account, receiver.url('/hook'));
    const [first, second] = await sendMessage(account, [phone], { steps: `600:${hook}`, until: 'delivered' });
    await finished(account, first);
    expect(await readDelivery(account, second)).toMatchObject({ status: 'pending', attempts: 0 });
    for (const status of statuses) await post(message(sid, status)).expect(204);
    clock.move(1_500);
    expect((await finished(account, second)).status).toBe(next);
  });

  test('fifty concurrent reports keep the furthest status, with no event twice', async () => {
    const { id, sid } = await sent();
    const statuses = ['queued', 'sending', 'sent', 'delivered', 'read'];
    const reports = Array.from({ length: 50 }, (_, index) => post(message(sid, statuses[index % 5])).expect(204));
    await Promise.all(reports);
    expect(await receiptOf(id)).toMatchObject({ status: 'read' });
    const reported = (await receiptEventsOf(id)).map(({ data }) => data.status as string);
    expect(reported).toEqual([...new Set(reported)].sort((a, b) => statuses.indexOf(a) - statuses.indexOf(b)));
    expect(reported.at(-1)).toBe('read');
  });

  test.each(['one', 'fifty'])('reports that arrive before the 201 are kept: %s', async (count) => {
    let answerNow = () => {};
    const sid = `SM${String(++sids).padStart(32, '0')}`;
    receiver.answer = (response) => void (answerNow = () => created(sid, response));
    const [id] = await sendMessage(account, [await newHandler('twilio')]);
    await receiver.received(1);
    const statuses = ['sent', 'undelivered', 'queued', 'sending', 'delivered'];
    if (count === 'one') for (const status of statuses) await post(message(sid, status, { ErrorCode: '30005' })).expect(204);
    else await Promise.all(Array.from({ length: 50 }, () => post(message(sid, 'undelivered', { ErrorCode: '30005' })).expect(204)));
    expect(await receiptOf(id)).toBeNull();
    answerNow();
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', receipt: { status: 'undelivered', code: 30005 } });
    expect((await deliveryEventsOf(id)).map(({ type }) => type)).toEqual(['delivery.delivered', 'delivery.receipt']);
    await post(message(sid, 'sent')).expect(204);
    expect(await receiptOf(id)).toMatchObject({ status: 'undelivered' });
  });

  test('a report is retried if its delivery is stored after it was searched', async () => {
    const { id, sid } = await sent();
    const findOneBy = Reflect.get(EntityManager.prototype, 'findOneBy') as (...given: unknown[]) => Promise<unknown>;
    let searches = 0;
    jest.spyOn(EntityManager.prototype, 'findOneBy').mockImplementation(function (this: EntityManager, ...given: unknown[]) {
      const isHidden = given[0] === DeliverySid && searches++ === 0;
      return (isHidden ? Promise.resolve(null) : findOneBy.apply(this, given)) as Promise<null>;
    });
    await post(message(sid, 'delivered')).expect(204);
    expect(searches).toBe(3); // the hidden one, the row that is then locked, and the retry
    expect(await receiptOf(id)).toMatchObject({ status: 'delivered' });
  });

  test('a report of an unknown delivery or status returns 204 and changes nothing', async () => {
    const { id, sid } = await sent();
    const unknown = [message('SM_unknown', 'delivered'), call('CA_unknown', 'completed'), { Digits: '1' }, {}];
    for (const fields of [...unknown, message(sid, 'accepted'), message(sid, '')]) await post(fields).expect(204, '');
    expect([await receiptOf(id), await receiptEventsOf(id)]).toEqual([null, []]);
  });

  test('a delivery that is not Twilio’s has no receipt', async () => {
    receiver.answer = answer(201, {}, '{"sid":"SM_other"}');
    const [id] = await sendMessage(account, [await createWebhook(account, receiver.url())]);
    await finished(account, id);
    await post(message('SM_other', 'delivered')).expect(204);
    expect(await receiptOf(id)).toBeNull();
  });

  test.each([
    ['no sid', answer(201, {}, '{"status":"queued"}')],
    ['no JSON', answer(201, {}, 'SM1')],
    ['more than 64 KiB', answer(201, {}, JSON.stringify({ text: 'x'.repeat(70_000), sid: 'SM_late' }))],
    ['a body that is cut off', (response: ServerResponse) => truncated(response, () => setImmediate(cut, response))],
    ['a body that doesn’t end', (response: ServerResponse) => truncated(response)],
  ])('without a sid in the 201, only the receipt is lost: %s', async (_, answered) => {
    receiver.answer = answered;
    const [id] = await sendMessage(account, [await newHandler('twilio')]);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', receipt: null, log: [{ outcome: 'delivered', status: 201 }] });
    for (const sid of ['SM_late', 'SM_cut']) await post(message(sid, 'delivered')).expect(204);
    expect(await receiptOf(id)).toBeNull();
  });

  test('a report of a deleted delivery returns 204 and is deleted after a day', async () => {
    const { id, sid } = await sent();
    const rows = async () =>
      (await application().dataSource.query<{ sid: string }[]>('SELECT sid FROM receipts WHERE sid = ?', [sid])).map((row) => row.sid);
    const clock = holdClock(application());
    const sweep = () => application().app.get(Retention).sweep(new AbortController().signal);
    clock.move(2 * DAY_MS);
    await sweep();
    expect(await rows()).toEqual([sid]);
    await application().dataSource.query(`DELETE FROM delivery_attempts WHERE delivery_id = ${id}`);
    await application().dataSource.query(`DELETE FROM deliveries WHERE id = ${id}`);
    expect(await rows()).toEqual([]);
    await post(message(sid, 'delivered')).expect(204);
    await sweep();
    expect(await rows()).toEqual([sid]);
    clock.move(DAY_MS + 1_000);
    await sweep();
    expect(await rows()).toEqual([]);
  });
});

test('a handler subscribed to receipts is notified, and its own message causes no event', async () => {
  const handler = await newHandler('twilio', 'Pager');
  await account.client.post(`${HANDLERS}/${handler}/events`, { types: 'delivery.receipt' }).expect(200);
  const { id, sid } = await sent();
  receiver.reset();
  let notified = '';
  receiver.answer = (response, request) => created((notified = newSid(request)), response);
  await post(message(sid, 'undelivered', { ErrorCode: '30003' })).expect(204);
  const [request] = await receiver.received(1);
  expect(new URLSearchParams(request.body).get('Body')).toBe(
    `Delivery receipt\nTwilio reports on "${SENTENCE}" by Night shift (twilio): undelivered, error 30003.`,
  );
  const { data } = await pageOf<{ id: number }>(account, DELIVERIES);
  const other = Math.max(...data.map((delivery) => delivery.id));
  expect(other).toBeGreaterThan(id);
  await finished(account, other);
  await post(message(notified, 'delivered')).expect(204);
  expect(await receiptOf(other)).toMatchObject({ status: 'delivered' });
  expect(await receiptEventsOf(other)).toEqual([]);
});

describe('key pressed in a call', () => {
  const say = (text: string) => `<Say language="en-US">${text}</Say>`;
  const DONE = `<Response>${say('This message is acknowledged. Nothing more of it will be sent.')}</Response>`;
  const GONE = `<Response>${say('This message is gone. There is nothing to acknowledge.')}</Response>`;
  const PRESS = say('Press 1 to acknowledge.');

  /** An answered call, and the URL for its keys. `seconds`: when the next step is due, which the test must end. */
  async function answered(seconds?: number, fields: Record<string, string> = {}) {
    let sid = '';
    receiver.answer = (response, request) => created((sid = newSid(request)), response);
    const phone = await newHandler('twilio_call');
    const [id] = await sendMessage(account, [phone], {
      until: 'acknowledged',
      ...(seconds && { steps: `${seconds}:${phone}` }),
      ...fields,
    });
    const { message_id: messageId } = await finished(account, id);
    const twiml = new URLSearchParams(receiver.requests[0].body).get('Twiml')!;
    const [, action] = /<Gather numDigits="1" action="([^"]*)">/.exec(twiml)!;
    const path = action.slice(PUBLIC_URL.length);
    const formOf = (Digits: string) => call(sid, 'in-progress', { Digits, msg: 'Gather End' });
    const press = (Digits: string) => post(formOf(Digits), sign(formOf(Digits), action), path);
    const read = () => readMessage(account, messageId);
    return { id, sid, messageId, action, path, formOf, press, read };
  }

  test('key 1 acknowledges the message, and repeating it changes nothing', async () => {
    const { id, messageId, press, read } = await answered(600);
    const { headers } = await press('1').expect(200, DONE);
    expect(headers['content-type']).toBe('text/xml; charset=utf-8');
    const first = await read();
    expect(first).toMatchObject({ acknowledged: { delivery_id: id }, deliveries: { delivered: 1, pending: 0, cancelled: 1 } });
    await press('1').expect(200, DONE);
    await Promise.all(Array.from({ length: 10 }, () => press('1').expect(200, DONE)));
    expect(await read()).toEqual(first);
    await press('2').expect(200, DONE); // nothing is left to ask
    const reported = await eventsOf(account, 'message.acknowledged');
    expect(reported).toMatchObject([{ record: { id: messageId }, actor: { type: 'service', id: null } }]);
  });

  test.each(['2', '0', '*', ''])('any other key changes nothing and repeats the prompt: %j', async (key) => {
    const { id, action, press, read } = await answered();
    await press(key).expect(200, `<Response><Gather numDigits="1" action="${action}">${PRESS}</Gather></Response>`);
    expect((await read()).acknowledged).toBeNull();
    await press('1').expect(200, DONE);
    expect((await read()).acknowledged).toMatchObject({ delivery_id: id });
  });

  test('key 1 keeps an earlier acknowledgement', async () => {
    const { messageId, press, read } = await answered();
    await account.client.post(`${MESSAGES}/${messageId}/acknowledgement`).expect(200);
    const first = await read();
    expect(first.acknowledged).toMatchObject({ delivery_id: null });
    await press('1').expect(200, DONE);
    expect(await read()).toEqual(first);
  });

  test.each(['cancelled', 'expired'])('key 1 acknowledges a message that was %s', async (how) => {
    const clock = holdClock(application());
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id, messageId, press, read } = await answered(7_200, { expires_at });
    if (how === 'cancelled') await account.client.post(`${MESSAGES}/${messageId}/cancellation`).expect(200);
    else {
      clock.move(7_201_000);
      await finished(account, id + 1);
    }
    const { deliveries } = await read();
    expect(deliveries.pending).toBe(0);
    for (let time = 0; time < 2; time++) await press('1').expect(200, DONE);
    expect(await read()).toMatchObject({ acknowledged: { delivery_id: id }, deliveries });
    expect(receiver.requests).toHaveLength(1);
  });

  test('a completed call without a key acknowledges nothing', async () => {
    const { sid, press, read } = await answered(600);
    for (const status of ['in-progress', 'completed']) await post(call(sid, status)).expect(204);
    expect(await read()).toMatchObject({ acknowledged: null, deliveries: { pending: 1 } });
    await press('1').expect(200, DONE);
    expect(await read()).toMatchObject({ deliveries: { cancelled: 1 } });
  });

  test('a key for an unknown message gets a response that says so', async () => {
    const { path, formOf } = await answered();
    const [token, form] = [path.split('/').pop()!, formOf('1')];
    const wrong = [`${token.slice(0, 40)}B`, `${randomBytes(30).toString('base64url')}A`];
    for (const each of wrong.map((name) => `${PATH}/${name}`)) await post(form, sign(form, PUBLIC_URL + each), each).expect(200, GONE);
  });

  test('a key without a valid signature for this call returns 403', async () => {
    const { action, path, formOf, read } = await answered();
    const form = formOf('1');
    const forged = [sign(form), sign(formOf('2'), action), sign(form, action, '12346'), sign(form, `${action}A`)];
    for (const signature of forged) expectErrors(await post(form, signature, path), { code: 'invalid_signature', source: SOURCE });
    expectErrors(await application().client().send('POST', path).type('form').send(form), { code: 'invalid_signature', source: SOURCE });
    expect((await read()).acknowledged).toBeNull();
  });

  test('keys are accepted without TWILIO_STATUS, but not without an https PUBLIC_URL', async () => {
    const { action, path, formOf } = await answered();
    const form = formOf('1');
    const env = { ...database().env, ...TWILIO, TWILIO_STATUS: 'off', DELIVERY_CONCURRENCY: '0' };
    await withApplication({ ...env, METRICS_PORT: String(await freePort()) }, async (other) => {
      for (let time = 0; time < 2; time++) await post(form, sign(form, action), path, other).expect(200, DONE);
      expect(await other.app.get(Metrics).registry.metrics()).toContain('frontdesk_acknowledgements_total{way="call"} 1');
    });
    await withApplication({ ...env, PUBLIC_URL: 'http://frontdesk.test' }, async (other) => {
      expectErrors(await post(form, sign(form, action), path, other), { code: 'invalid_signature', source: SOURCE });
    });
  });
});

describe('callback without a valid signature', () => {
  const refused = { code: 'invalid_signature', source: SOURCE } as const;
  const fields = message('SM_forged', 'delivered');
  const signed = (signature: string) => application().client().send('POST', PATH).set('X-Twilio-Signature', signature);

  test.each<[string, () => ReturnType<typeof post>]>([
    ['no signature', () => application().client().send('POST', PATH).type('form').send(fields)],
    ['one of another token', () => post(fields, sign(fields, undefined, '12346'))],
    ['one more field', () => post({ ...fields, More: '1' }, sign(fields))],
    ['a query that isn’t signed', () => post(fields, sign(fields), `${PATH}?x=1`)],
    ['JSON', () => signed(sign(fields)).send(fields)],
    ['multipart', () => account.client.post(PATH, fields).set('X-Twilio-Signature', sign(fields))],
    ['more than 16 KiB', () => post({ ...fields, Body: 'x'.repeat(16 * 1_024) })],
    [
      'invalid UTF-8',
      () =>
        signed(sign({}))
          .type('form')
          .send(Buffer.from([0x61, 0xff]) as never),
    ],
    ['a compressed body', () => post(fields).set('Content-Encoding', 'gzip')],
    ['an API key', () => account.client.send('POST', PATH).type('form').send(fields)],
  ])('returns 403 for %s, without a query', async (_, request) => {
    const { app } = application();
    const noted = jest.spyOn(app.get(Receipts), 'record');
    const reading = jest.spyOn(app.get(Dialect), 'read');
    expectErrors(await request(), refused);
    expect(noted).not.toHaveBeenCalled();
    expect(reading.mock.calls.filter(([sql]) => /receipts|api_keys/.test(sql))).toEqual([]);
  });

  test('returns 405 for other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) await application().client().send(method, PATH).expect(405);
  });

  test('returns 403 for every report with TWILIO_STATUS=off', async () => {
    const env = { ...database().env, ...TWILIO, TWILIO_STATUS: 'off', DELIVERY_CONCURRENCY: '0' };
    await withApplication(env, async (other) => {
      expectErrors(await post(fields, sign(fields), PATH, other), refused);
    });
  });
});

test('reports hold no admission slot, and only two use the database at once', async () => {
  const receipts = application().app.get(Receipts);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const note = jest.spyOn(receipts, 'record').mockReturnValue(held);
  const reports = Array.from({ length: 20 }, () => post(message('SM_held', 'sent')).then(({ status }) => status));
  await account.client.get(MESSAGES).expect(200);
  await until(() => note.mock.calls.length === 2);
  await account.client.get(MESSAGES).expect(200);
  expect(note).toHaveBeenCalledTimes(2);
  release();
  expect(await Promise.all(reports)).toEqual(Array(20).fill(204));
});

test('reports are counted by type and status, and invalid signatures logged once a minute', async () => {
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const logged = () => warnings.mock.calls.map(([line]) => line as object).filter((line) => JSON.stringify(line).includes('PUBLIC_URL'));
  const line = { message: "A callback isn't signed by Twilio for this service: check PUBLIC_URL and TWILIO_AUTH_TOKEN." };
  const env = { ...database().env, ...TWILIO, DELIVERY_CONCURRENCY: '0', METRICS_PORT: String(await freePort()) };
  await withApplication(env, async (other) => {
    const clock = holdClock(other);
    const whatsapp = message('SM_b', 'read', { To: 'whatsapp:+14155550100' });
    const reports = [message('SM_a', 'sent'), message('SM_a', 'sent'), whatsapp, call('CA_a', 'busy'), call('CA_a', 'initiated')];
    for (const fields of reports) await post(fields, sign(fields), PATH, other).expect(204);
    const forge = () => post(message('SM_canary', 'failed'), 'canary', PATH, other).expect(403);
    for (let count = 0; count < 3; count++) await forge();
    expect(logged()).toEqual([line]);
    clock.move(60_000);
    await forge();
    expect(logged()).toEqual([line, { ...line, left_out: 2 }]);
    const metrics = await other.app.get(Metrics).registry.metrics();
    expect(metrics.split('\n').filter((sample) => sample.startsWith('frontdesk_receipts_total'))).toEqual([
      'frontdesk_receipts_total{type="twilio",status="sent"} 2',
      'frontdesk_receipts_total{type="whatsapp",status="read"} 1',
      'frontdesk_receipts_total{type="twilio_call",status="busy"} 1',
    ]);
  });
});
