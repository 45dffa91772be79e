/** @mysql whole */
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { LaneTable } from '../../../src/deliveries/queue/lane';
import { type Sandbox, startSandbox } from '../../../src/programs/sandbox/testing';
import { type SandboxTestAccount, sandboxAccount } from '../../support/http/application';
import { DATABASE } from '../../support/servers/database';
import { type DeliveryBody, idsOf, readDelivery, sendMessage, webhookIdIn } from '../../support/areas/deliveries';
import { FUZZED, httpChannel, messages } from '../../support/areas/outgoing';
import { DELIVERIES, HANDLERS, MESSAGES } from '../../support/areas/records';

const ENV = {
  MAIL_FROM: 'Front Desk <desk@example.com>',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 'twilio-secret',
  TWILIO_FROM: '+15005550006',
  TWILIO_WHATSAPP_FROM: '+15005550007',
};
let sandbox: Sandbox;
let account: SandboxTestAccount;

beforeAll(async () => {
  sandbox = await startSandbox({ env: ENV, database: DATABASE });
});
/** Each test has its own account, since calls are rate-limited per account. */
beforeEach(async () => {
  account = await sandboxAccount(sandbox);
});
afterAll(() => sandbox.stop());

const MESSAGE = { title: 'Backup <1>', text: 'It failed & *stopped*.\nTwice.', url: 'https://example.com/x' };
const LINES = [MESSAGE.title, MESSAGE.text, MESSAGE.url].join('\n');
const PHONE = '+14155550100';

const SETTINGS: Record<string, Record<string, string>> = {
  email: { email: 'night@example.com' },
  webhook: { webhook: 'https://hooks.example.com/secret-path' },
  telegram: { telegram: '1:telegram-secret', telegram_chat_id: '-100' },
  ...Object.fromEntries(['slack', 'discord', 'microsoft_teams'].map((type) => [type, { [type]: `https://example.com/${type}` }])),
  ...Object.fromEntries(['twilio', 'twilio_call', 'whatsapp'].map((type) => [type, { [type]: PHONE }])),
};

const newHandler = (type: string, fields: Record<string, string> = {}) =>
  account.client.create(HANDLERS, { name: 'Night shift', type, ...SETTINGS[type], ...fields });

/** Sends a message, and returns its delivery after the first attempt, whose log must not contain secrets. */
async function deliver(handler: number, message: Record<string, string> = MESSAGE): Promise<DeliveryBody> {
  const [id] = await sendMessage(account, [handler], message);
  await sandbox.settle(account);
  const delivery = await readDelivery(account, id);
  for (const { detail } of delivery.log) expect(detail).not.toMatch(/secret|127\.0|password|example|AC1|\+1/);
  return delivery;
}
/** Delivers the message to a receiver that gives these answers. */
function deliverTo(handler: number, ...answers: Parameters<Sandbox['answer']>[0]['answers']): Promise<DeliveryBody> {
  sandbox.answer({ handler_id: handler, answers });
  return deliver(handler);
}
const sent = () => sandbox.sent({ account: account.id });

const TWILIO_URL = 'https://api.twilio.com/2010-04-01/Accounts/AC1';
const FROM = { To: PHONE, From: ENV.TWILIO_FROM };

/** The requests themselves are tested per channel. */
test.each<[type: string, url: string, fields: object]>([
  ['slack', 'https://example.com/slack', { mrkdwn: false, blocks: [{ type: 'rich_text' }] }],
  ['discord', 'https://example.com/discord', { content: expect.stringContaining('\\*stopped\\*') as string }],
  ['telegram', 'https://api.telegram.org/bot1:telegram-secret/sendMessage', { chat_id: '-100', text: LINES }],
  ['microsoft_teams', 'https://example.com/microsoft_teams', { type: 'message', attachments: [{ content: { type: 'AdaptiveCard' } }] }],
  ['twilio', `${TWILIO_URL}/Messages.json`, { ...FROM, Body: LINES }],
  ['twilio_call', `${TWILIO_URL}/Calls.json`, { ...FROM, Twiml: expect.stringContaining('Backup &lt;1&gt;') as string }],
  ['whatsapp', `${TWILIO_URL}/Messages.json`, { To: `whatsapp:${PHONE}`, From: `whatsapp:${ENV.TWILIO_WHATSAPP_FROM}`, Body: LINES }],
])('%s sends one request to its URL', async (type, url, fields) => {
  const delivery = await deliver(await newHandler(type));
  expect(delivery).toMatchObject({ type, status: 'delivered', attempts: 1, log: [{ outcome: 'delivered' }] });
  const [{ request }, ...others] = sent();
  const { headers, body } = request!;
  expect([request!.url, others]).toEqual([url, []]);
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  expect(isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)).toMatchObject(fields);
  if (isForm) expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:twilio-secret').toString('base64')}`);
});

test('an email is sent through the operator’s server', async () => {
  const delivery = await deliver(await newHandler('email'));
  expect(delivery).toMatchObject({ status: 'delivered', log: [{ outcome: 'delivered', status: 250 }] });
  const [{ mail }, ...others] = sent();
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ from: 'desk@example.com', to: ['night@example.com'], subject: 'Backup <1>', text: mailTextOf(MESSAGE) });
  expect(mail!.raw.split('\r\n')).toEqual(
    expect.arrayContaining([
      'From: Front Desk <desk@example.com>',
      'To: night@example.com',
      'Subject: Backup <1>',
      `Message-ID: <${await localPartOf(delivery.id)}@example.com>`,
      'Auto-Submitted: auto-generated',
    ]),
  );
});

/** The local part of an email's Message-ID. */
async function localPartOf(id: number): Promise<string> {
  return (await webhookIdIn({ dataSource: sandbox.get(DataSource) }, id)).replace(/^msg_(.*)_/, '$1.');
}

/** The space after `--` marks a signature. */
function mailTextOf({ text, url }: { text: string; url: string }): string {
  return [text, url, `-- \nNight shift, an alert of ${account.name}`].filter(Boolean).join('\n\n');
}

test('an email shows any title and text unchanged', async () => {
  const handler = await newHandler('email');
  for (const message of fc.sample(messages, FUZZED)) {
    const title = printable(message.title).replaceAll('\t', ' ');
    const text = [...`x${printable(message.text)}`].slice(0, 4_000).join('');
    const { message_id, status } = await deliver(handler, { ...message, title, text });
    expect(status).toBe('delivered');
    const { body } = await account.client.get(`${MESSAGES}/${message_id}`);
    const said = (body as { data: Record<'title' | 'text' | 'url', string> }).data;
    const [{ mail }] = sandbox.sent({ account: account.id, message_id });
    expect(mail!.text).toBe(mailTextOf(said));
    if (title) expect(mail!.subject.replace(/\s+/g, ' ').trim()).toBe(said.title.replace(/\s+/g, ' ').trim());
  }
});

const printable = (text: string) => text.replace(/[^\P{Cc}\n\t]/gu, '');

test('an email is retried after 4yz with the same Message-ID, and not after 5yz', async () => {
  const handler = await newHandler('email');
  const never = await deliverTo(handler, { status: 550 });
  expect(never).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 550 }] });
  const { id, log } = await deliverTo(handler, { status: 451 });
  expect(log).toEqual([expect.objectContaining({ outcome: 'server_error', status: 451 })]);
  await sandbox.advance('5s');
  expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
  const [, ...mails] = sent();
  const messageId = `<${await localPartOf(id)}@example.com>`;
  expect(mails.map(({ mail }) => /^Message-ID: (.*)\r$/m.exec(mail!.raw)?.[1])).toEqual([messageId, messageId]);
});

test('a 200 from Microsoft Teams that reports a 429 is retried', async () => {
  const body = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x..';
  const { id, log } = await deliverTo(await newHandler('microsoft_teams'), { status: 200, body });
  expect(log).toEqual([
    expect.objectContaining({ outcome: 'rate_limited', status: 200, detail: 'The receiver answered 200: HTTP error 429.' }),
  ]);
  await sandbox.advance('6s');
  expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
});

test('the detail quotes the receiver’s error without addresses and secrets', async () => {
  const cases: [type: string, status: number, body: object, detail: string][] = [
    ['telegram', 401, { description: 'Unauthorized 1:telegram-secret\nat https://example.com/x' }, '"Unauthorized … at …"'],
    ['discord', 400, { message: `no discord at 127.0.0.1 ${'💈'.repeat(200)}` }, `"no … at … ${'💈'.repeat(94)}…"`],
  ];
  for (const [type, status, body, reason] of cases) {
    const { log } = await deliverTo(await newHandler(type), { status, body: JSON.stringify(body) });
    expect(log).toEqual([expect.objectContaining({ outcome: 'rejected', status, detail: `The receiver answered ${status}: ${reason}.` })]);
  }
});

test('a paid delivery is never sent twice, whatever the response', async () => {
  const handler = await newHandler('twilio_call');
  const lost = await deliverTo(handler, { fault: 'reset' });
  expect(lost).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'unknown', status: null }] });
  await sandbox.advance('1s'); // one call per second
  const wrong = await deliverTo(handler, { status: 200 });
  expect(wrong).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 200 }] });
  await sandbox.advance('1h');
  expect(sent()).toHaveLength(2);
});

describe('log of failed deliveries', () => {
  let warnings: jest.SpyInstance;
  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });

  type Line = Record<string, unknown>;

  /** The lines about failed deliveries of this test's account. */
  const lines = () => (warnings.mock.calls as [Line][]).map(([line]) => line).filter((line) => line.account === account.id);

  test('a failed delivery logs ids, outcome and status, without texts or secrets', async () => {
    const handler = await newHandler('webhook', { name: 'Secret name' });
    const { id, message_id } = await deliverTo(handler, { status: 410 });
    const delivery = { account: account.id, handler_id: handler, message_id, delivery_id: id };
    expect(lines()).toEqual([
      { message: 'A delivery failed.', ...delivery, type: 'webhook', outcome: 'rejected', status: 410, code: undefined },
    ]);
  });

  test.each<[string, Record<string, string>, number, string, object]>([
    ['twilio', {}, 400, '{"code":21211,"message":"secret"}', { outcome: 'rejected', status: 400, code: 21_211 }],
    ['email', {}, 550, '5.1.1 <night@example.com> is unknown', { outcome: 'rejected', status: 550, code: '5.1.1' }],
    ['slack', {}, 404, 'no_service secret', { outcome: 'rejected', status: 404, code: undefined }],
    ['webhook', { webhook: 'http://10.0.0.1/' }, 200, '', { outcome: 'blocked_address', status: null, code: undefined }],
  ])('a failure of %s logs the service’s own code', async (type, fields, status, body, expected) => {
    const handler = await newHandler(type, fields);
    const { id } = await deliverTo(handler, { status, body });
    expect(lines()).toEqual([expect.objectContaining({ handler_id: handler, delivery_id: id, type, ...expected })]);
    expect(JSON.stringify(lines())).not.toMatch(/secret|127\.0|10\.0|example|\+1/);
  });

  test('a handler’s failures are logged once a minute, with the number left out', async () => {
    const [noisy, other] = [await newHandler('webhook'), await newHandler('webhook')];
    const fail = async (handler: number) => (await deliverTo(handler, { status: 410 })).id;
    const first = await fail(noisy);
    for (let count = 0; count < 3; count++) await fail(noisy);
    const others = await fail(other);
    await sandbox.advance('60s');
    const later = await fail(noisy);
    expect(lines().map(({ delivery_id, left_out }) => [delivery_id, left_out])).toEqual([
      [first, undefined],
      [others, undefined],
      [later, 3],
    ]);
  });

  test('an attempt that will be retried is not logged', async () => {
    await deliverTo(await newHandler('webhook'), { status: 503 });
    expect(lines()).toEqual([]);
  });

  test('a failure is logged only once it is committed', async () => {
    const lanes = sandbox.get(LaneTable);
    const save = lanes.save.bind(lanes);
    let rolledBack = 0;
    jest.spyOn(lanes, 'save').mockImplementation(async (statements, changed) => {
      await save(statements, changed);
      const failed = await statements.read("SELECT id FROM deliveries WHERE account_id = ? AND status = 'failed'", [account.id]);
      if (failed.length > 0 && rolledBack++ === 0) throw new Error('rolled back');
    });
    const { id } = await deliverTo(await newHandler('webhook'), { status: 410 });
    expect(rolledBack).toBeGreaterThan(1);
    expect(lines()).toEqual([expect.objectContaining({ delivery_id: id })]);
  });
});

describe('internal error', () => {
  const channel = httpChannel('twilio');
  const fault = new Error('a bug');
  const raise = () => {
    throw fault;
  };
  const attempt = { outcome: 'internal_error', status: null, detail: 'Internal error. The operator can find the cause in the log.' };
  let errors: jest.SpyInstance;
  let handler: number;

  beforeEach(async () => {
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    handler = await newHandler('twilio');
  });

  test('a bug is logged and the attempt retried as internal_error', async () => {
    jest.spyOn(channel, 'request').mockImplementationOnce(raise);
    const { id, status, log } = await deliver(handler);
    expect([status, log]).toEqual(['pending', [expect.objectContaining(attempt)]]);
    expect(errors).toHaveBeenCalledWith({ message: 'A delivery failed because of a bug in this service.', err: fault });
    expect(sandbox.sent({ account: account.id })).toEqual([]);
    await sandbox.advance('6s');
    expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('a bug after a paid request was sent is final', async () => {
    jest.spyOn(channel, 'judge').mockImplementationOnce(raise);
    expect(await deliver(handler)).toMatchObject({ status: 'failed', attempts: 1, log: [attempt] });
    expect(errors).toHaveBeenCalledTimes(1);
  });

  test('internal_error also appears in tests, filters and statistics', async () => {
    jest.spyOn(channel, 'request').mockImplementationOnce(raise).mockImplementationOnce(raise);
    const { body } = await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
    expect((body as { data: object }).data).toMatchObject(attempt);
    const { id } = await deliver(handler);
    expect(await idsOf(account, `${DELIVERIES}?outcome=internal_error`)).toEqual([id]);
    expect((await account.client.get(`${DELIVERIES}/statistics?group=outcome`).expect(200)).text).toContain('"internal_error"');
  });
});
