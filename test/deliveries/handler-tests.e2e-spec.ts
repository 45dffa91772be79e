/** @mysql whole */
import { Webhook } from 'standardwebhooks';
import { SigningSecretsService } from '../../src/notification-handlers/signing-secrets.service';
import { type TestAccount, useApplication } from '../support/http/application';
import { holdClock } from '../support/jest/clock';
import { auditOf, createWebhook, type DeliveryBody } from '../support/areas/deliveries';
import { expectErrors } from '../support/http/errors';
import { answer, cut, receiver } from '../support/servers/receiver';
import { DELIVERIES, HANDLERS, HANDLERS_READ, MESSAGES } from '../support/areas/records';

const { application } = useApplication();
let account: TestAccount;

/** Each test has its own account, since tests are rate-limited per account. */
beforeEach(async () => {
  account = await application().createAccount();
});

type Attempt = DeliveryBody['log'][number];

const testOf = (id: number, path = HANDLERS) => account.client.send('POST', `${path}/${id}/test`);
const attemptOf = async (id: number) => ((await testOf(id).expect(200)).body as { data: Attempt }).data;

describe('POST /api/notification-handlers/:handler_id/test', () => {
  test('sends one message now and returns the attempt', async () => {
    const id = await createWebhook(account, receiver.url('/hook'), 'Night shift');
    const { text, body } = await testOf(id).expect(200);
    const { datetime, duration_ms } = (body as { data: Attempt }).data;
    const attempt = { number: 1, datetime, duration_ms, outcome: 'delivered', status: 200, detail: 'The receiver answered 200.' };
    expect(text).toBe(JSON.stringify({ data: attempt }));
    expect(datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const [request, ...others] = receiver.requests;
    expect(others).toEqual([]);
    const data = { message_id: null, delivery_id: null, title: 'Test', text: 'Test of Night shift', url: '' };
    expect(request.body).toBe(JSON.stringify({ type: 'message', timestamp: `${datetime.replace(' ', 'T')}Z`, data }));
    expect(request.headers['webhook-id']).toMatch(/^msg_test_.{16,}$/);
    const secret = await account.client.get(`${HANDLERS}/${id}/signing-secret`).expect(200);
    const webhook = new Webhook((secret.body as { data: { secret: string } }).data.secret);
    expect(webhook.verify(request.body, request.headers as Record<string, string>)).toMatchObject({ data });
  });

  test('each test has its own webhook-id, on both paths', async () => {
    const id = await createWebhook(account, receiver.url());
    for (const path of [HANDLERS, HANDLERS_READ])
      for (const slash of ['', '/']) await account.client.post(`${path}/${id}/test${slash}`).expect(200);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  });

  test('a disabled handler can be tested', async () => {
    const id = await createWebhook(account, receiver.url());
    await account.client.post(`${HANDLERS}/${id}`, { is_enabled: '0' }).expect(200);
    expect(await attemptOf(id)).toMatchObject({ outcome: 'delivered' });
  });

  test('a failed test returns 200 with its outcome and is not retried', async () => {
    const id = await createWebhook(account, receiver.url());
    receiver.answer = answer(503);
    const clock = holdClock(application());
    expect(await attemptOf(id)).toMatchObject({ number: 1, outcome: 'server_error', status: 503 });
    receiver.answer = cut;
    expect(await attemptOf(id)).toMatchObject({ number: 1, outcome: 'unknown', status: null });
    clock.move(86_400_000);
    expect(await attemptOf(await account.client.create(HANDLERS, { name: 'Empty', type: 'webhook' }))).toEqual({
      number: 1,
      datetime: expect.any(String) as string,
      duration_ms: 0,
      outcome: 'not_configured',
      status: null,
      detail: 'webhook is empty: set it in the handler.',
    });
    expect(await attemptOf(await account.client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'a@example.com' }))).toMatchObject({
      outcome: 'not_configured',
      detail: 'The operator of this service has not set SMTP_URL and MAIL_FROM.',
    });
    expect(receiver.requests).toHaveLength(2);
  });

  test('returns 404 if the webhook is deleted before it has a signing secret', async () => {
    const secrets = application().app.get(SigningSecretsService);
    const findSigning = secrets.findSigning.bind(secrets);
    const id = await createWebhook(account, receiver.url());
    jest.spyOn(secrets, 'findSigning').mockImplementationOnce(async (...given) => {
      await account.client.delete(`${HANDLERS}/${id}`).expect(200);
      return findSigning(...given);
    });
    expectErrors(await testOf(id), { code: 'not_found' });
    expect(receiver.requests).toEqual([]);
  });

  test('the detail of a test distinguishes failed DNS lookups from failed connections', async () => {
    receiver.nameServers.set('secret.example', { fault: 'nxdomain' });
    expect(await attemptOf(await createWebhook(account, 'http://secret.example/'))).toMatchObject({
      outcome: 'unreachable',
      status: null,
      detail: 'The host name has no address, or no name server answered.',
    });
    expect(await attemptOf(await createWebhook(account, 'http://refused.example/'))).toMatchObject({
      outcome: 'unreachable',
      status: null,
      detail: 'No connection could be made.',
    });
  });

  test('a test stores only an audit entry', async () => {
    const id = await createWebhook(account, receiver.url());
    const handler = await account.client.get(`${HANDLERS}/${id}`);
    await testOf(id).set('X-Request-Id', 'tested').expect(200);
    const entries = (await auditOf(application(), account, 'notification handler')).filter(({ action }) => action !== 'create');
    expect(entries).toEqual([expect.objectContaining({ action: 'test', record_id: id, key_id: account.keyId, request_id: 'tested' })]);
    for (const path of [MESSAGES, DELIVERIES]) expect((await account.client.get(path)).body).toMatchObject({ data: [] });
    const after = await account.client.get(`${HANDLERS}/${id}`);
    expect([after.text, after.headers.etag]).toEqual([handler.text, handler.headers.etag]);
    expect(await application().rows('delivery_attempts')).toEqual([]);
  });

  test('rejects fields, Idempotency-Key and missing scopes', async () => {
    const id = await createWebhook(account, receiver.url());
    expectErrors(await testOf(id).type('form').send({ text: 'x' }), { code: 'unknown_parameter', source: 'form.text' });
    expectErrors(await testOf(id).set('Idempotency-Key', 'once'), { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
    const { client } = await application().createKey(account.id, { scopes: ['messages:read', 'notification-handlers:write'] });
    expectErrors(await client.post(`${HANDLERS}/${id}/test`), { code: 'insufficient_scope', source: 'header.Authorization' });
    const writer = await application().createKey(account.id, { scopes: ['messages:write'] });
    await writer.client.post(`${HANDLERS}/${id}/test`).expect(200);
    expect(receiver.requests).toHaveLength(1);
  });

  test('returns 404 for another account’s handler and sends nothing', async () => {
    const id = await createWebhook(await application().createAccount(), receiver.url());
    for (let count = 0; count < 11; count++) expectErrors(await testOf(id), { code: 'not_found' });
    expect(receiver.requests).toEqual([]);
    expect(await auditOf(application(), account, 'notification handler')).toEqual([]);
  });
});

describe('limit of ten tests a minute', () => {
  test('more than ten tests a minute of an account’s handlers return 429 with Retry-After', async () => {
    const clock = holdClock(application());
    const ids = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
    for (let count = 0; count < 10; count++) await testOf(ids[count % 2]).expect(200);
    clock.move(20_500);
    const refused = await testOf(ids[0]);
    expectErrors(refused, { code: 'rate_limited' });
    expect(refused.headers['retry-after']).toBe('40');
    expectErrors(await testOf(ids[1], HANDLERS_READ), { code: 'rate_limited' });
    expect(receiver.requests).toHaveLength(10);
    const entries = await auditOf(application(), account, 'notification handler');
    expect(entries.filter(({ action }) => action === 'test')).toHaveLength(10);

    const other = await application().createAccount();
    await other.client.post(`${HANDLERS}/${await createWebhook(other, receiver.url())}/test`).expect(200);
    clock.move(39_500);
    await testOf(ids[0]).expect(200);
  });

  test('a process whose clock is behind asks to wait a minute at most', async () => {
    const clock = holdClock(application());
    const id = await createWebhook(account, receiver.url());
    for (let count = 0; count < 10; count++) await testOf(id).expect(200);
    clock.move(-1);
    const refused = await testOf(id);
    expectErrors(refused, { code: 'rate_limited' });
    expect(refused.headers['retry-after']).toBe('60');
  });

  test('concurrent tests are limited, too', async () => {
    const id = await createWebhook(account, receiver.url());
    const answers = await Promise.all(Array.from({ length: 15 }, () => testOf(id).then()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    expect(receiver.requests).toHaveLength(10);
  });
});
