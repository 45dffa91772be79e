// Runs on SQLite.
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { type Sandbox, startSandbox } from '../../../src/programs/sandbox/testing';
import { type SandboxTestAccount, sandboxAccount } from '../../support/application';
import { type DeliveryBody, readDelivery, sendMessage, webhookIdIn } from '../../support/deliveries';
import { FUZZED, messages } from '../../support/outgoing';
import { HANDLERS, MESSAGES } from '../../support/records';

type SentRequest = NonNullable<ReturnType<Sandbox['sent']>[number]['request']>;

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
  sandbox = await startSandbox({ env: ENV });
});
/** Each test has an account of its own, since an account’s calls are paced. */
beforeEach(async () => {
  account = await sandboxAccount(sandbox);
});
afterAll(() => sandbox.stop());

const MESSAGE = { title: 'Backup <1>', text: 'It failed & *stopped*.\nTwice.', url: 'https://example.com/x' };
const LINES = [MESSAGE.title, MESSAGE.text, MESSAGE.url].join('\n');
const ACCOUNT_URL = 'https://api.twilio.com/2010-04-01/Accounts/AC1';
const AUTHORIZATION = `Basic ${Buffer.from('AC1:twilio-secret').toString('base64')}`;

const SETTINGS: Record<string, Record<string, string>> = {
  email: { email: 'night@example.com' },
  slack: { slack: 'https://example.com/slack' },
  discord: { discord: 'https://example.com/discord' },
  telegram: { telegram: '1:telegram-secret', telegram_chat_id: '-100' },
  microsoft_teams: { microsoft_teams: 'https://example.com/teams' },
  twilio: { twilio: '+14155550100' },
  twilio_call: { twilio_call: '+14155550100' },
  whatsapp: { whatsapp: '+14155550100' },
};

const newHandler = (type: string) => account.client.create(HANDLERS, { name: 'Night shift', type, ...SETTINGS[type] });
/** Sends a message, and returns its delivery after the first attempt. */
async function deliver(handler: number, message: Record<string, string> = MESSAGE): Promise<DeliveryBody> {
  const [id] = await sendMessage(account, [handler], message);
  await sandbox.settle(account);
  return readDelivery(account, id);
}
/** Delivers the message after the receiver has given these answers. */
async function deliverTo(type: string, ...answers: Parameters<Sandbox['answer']>[0]['answers']): Promise<DeliveryBody> {
  const handler = await newHandler(type);
  sandbox.answer({ handler_id: handler, answers });
  return deliver(handler);
}
const sent = () => sandbox.sent({ account: account.id });
const json = ({ body }: SentRequest): unknown => JSON.parse(body);
const form = ({ body }: SentRequest) => Object.fromEntries(new URLSearchParams(body));

/** Delivers the message through a new handler, and returns its one request. */
async function requestOf(type: string): Promise<SentRequest> {
  const delivery = await deliver(await newHandler(type));
  expect(delivery).toMatchObject({ type, status: 'delivered', attempts: 1, log: [{ outcome: 'delivered' }] });
  const [{ request }, ...others] = sent();
  expect(others).toEqual([]);
  return request!;
}

test('slack gets the text, escaped, and as blocks', async () => {
  const request = await requestOf('slack');
  const text = LINES.replace('&', '&amp;').replace('<1>', '&lt;1&gt;');
  const { title, text: said, url } = MESSAGE;
  const newLine = { type: 'text', text: '\n' };
  const elements = [
    { type: 'text', text: title, style: { bold: true } },
    newLine,
    { type: 'text', text: said },
    newLine,
    { type: 'link', url },
  ];
  const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
  expect([request.url, json(request)]).toEqual(['https://example.com/slack', { text, mrkdwn: false, blocks }]);
});

test('discord gets the text without markup and mentions', async () => {
  const request = await requestOf('discord');
  expect(request.url).toBe('https://example.com/discord');
  expect(json(request)).toEqual({ content: expect.stringContaining('\\*stopped\\*') as string, allowed_mentions: { parse: [] } });
});

test('telegram gets the text at the bot’s address', async () => {
  const request = await requestOf('telegram');
  expect([request.url, json(request)]).toEqual([
    'https://api.telegram.org/bot1:telegram-secret/sendMessage',
    { chat_id: '-100', text: LINES, entities: [{ type: 'bold', offset: 0, length: MESSAGE.title.length }] },
  ]);
});

test('microsoft_teams gets an adaptive card', async () => {
  const request = await requestOf('microsoft_teams');
  expect(request.url).toBe('https://example.com/teams');
  const card = {
    contentType: 'application/vnd.microsoft.card.adaptive',
    content: expect.objectContaining({ type: 'AdaptiveCard' }) as object,
  };
  expect(json(request)).toEqual({ type: 'message', attachments: [card] });
});

const SAID = '<Say language="en-US">Backup &lt;1&gt;</Say><Pause/><Say language="en-US">It failed &amp; *stopped*.\nTwice.</Say>';

test.each([
  ['twilio', 'Messages', { To: '+14155550100', From: '+15005550006', Body: LINES }],
  ['whatsapp', 'Messages', { To: 'whatsapp:+14155550100', From: 'whatsapp:+15005550007', Body: LINES }],
  [
    'twilio_call',
    'Calls',
    {
      To: '+14155550100',
      From: '+15005550006',
      Twiml: `<Response>${SAID}<Pause length="2"/>${SAID}</Response>`,
    },
  ],
])('%s is sent by the operator’s Twilio account', async (type, resource, fields) => {
  const request = await requestOf(type);
  expect(request.url).toBe(`${ACCOUNT_URL}/${resource}.json`);
  expect(request.headers).toMatchObject({ authorization: AUTHORIZATION, 'content-type': 'application/x-www-form-urlencoded' });
  expect(form(request)).toEqual(fields);
});

test('email is sent by the operator’s server', async () => {
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

/** Of a mail's Message-ID. */
async function localPartOf(id: number): Promise<string> {
  return (await webhookIdIn({ dataSource: sandbox.get(DataSource) }, id)).replace(/^msg_(.*)_/, '$1.');
}

/** The signature's line has its space: mail programs look for it. */
function mailTextOf({ text, url }: { text: string; url: string }): string {
  return [text, url, `-- \nNight shift, an alert of ${account.name}`].filter(Boolean).join('\n\n');
}

test('email shows a person what was said, whatever it is', async () => {
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

test('email is tried again after a 4yz with the same Message-ID, and not after a 5yz', async () => {
  const never = await deliverTo('email', { status: 550 });
  expect(never).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 550 }] });
  const { id, log } = await deliverTo('email', { status: 451 });
  expect(log).toEqual([expect.objectContaining({ outcome: 'server_error', status: 451 })]);
  await sandbox.advance('5s');
  expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
  const [, ...mails] = sent();
  const messageId = `<${await localPartOf(id)}@example.com>`;
  expect(mails.map(({ mail }) => /^Message-ID: (.*)\r$/m.exec(mail!.raw)?.[1])).toEqual([messageId, messageId]);
});

test('telegram’s answer must say ok, and its retry_after is waited for', async () => {
  const rejected = await deliverTo('telegram', { status: 200, body: '{"ok":false}' });
  expect(rejected).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 200 }] });

  const limited = { status: 429, body: '{"ok":false,"parameters":{"retry_after":77}}' };
  const { id, log, next_attempt } = await deliverTo('telegram', limited);
  expect(Date.parse(`${next_attempt}Z`) - Date.parse(`${log[0].datetime}Z`)).toBe(77_000);
  await sandbox.advance('77s');
  expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
});

test('a 200 from microsoft_teams whose text reports a 429 is tried again', async () => {
  const body = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x..';
  const { id, log } = await deliverTo('microsoft_teams', { status: 200, body });
  expect(log).toEqual([
    expect.objectContaining({ outcome: 'rate_limited', status: 200, detail: 'The receiver answered 200: HTTP error 429.' }),
  ]);
  await sandbox.advance('6s');
  expect(await readDelivery(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
});

test('the detail quotes a receiver’s refusal, without addresses and the handler’s secret', async () => {
  const cases: [type: string, status: number, body: object | string, detail: string][] = [
    ['telegram', 400, { description: 'Bad Request: chat not found' }, '"Bad Request: chat not found"'],
    ['telegram', 401, { description: 'Unauthorized 1:telegram-secret\nat https://example.com/x' }, '"Unauthorized … at …"'],
    ['discord', 404, { message: 'Unknown Webhook', code: 10015 }, '"Unknown Webhook"'],
    ['slack', 404, 'no_service', '"no_service"'],
    ['microsoft_teams', 400, { error: { message: 'No teams at 10.0.0.1' } }, '"No … at …"'],
    ['discord', 400, { message: `no discord at 127.0.0.1 ${'💈'.repeat(200)}` }, `"no … at … ${'💈'.repeat(94)}…"`],
  ];
  for (const [type, status, body, reason] of cases) {
    const { log } = await deliverTo(type, { status, body: typeof body === 'string' ? body : JSON.stringify(body) });
    expect(log).toEqual([expect.objectContaining({ outcome: 'rejected', status, detail: `The receiver answered ${status}: ${reason}.` })]);
  }
});

test.each(['twilio', 'twilio_call', 'whatsapp'])('%s is never sent twice, whatever becomes of the answer', async (type) => {
  const lost = await deliverTo(type, { fault: 'reset' });
  expect(lost).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'unknown', status: null }] });
  await sandbox.advance('1s'); // a call a second
  const wrong = await deliverTo(type, { status: 200 });
  expect(wrong).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 200 }] });
  await sandbox.advance('1h');
  expect(sent()).toHaveLength(2);
});

test('no detail of an attempt holds a secret', async () => {
  const attempts = await sandbox.get(DataSource).query<{ detail: string }[]>('SELECT detail FROM delivery_attempts');
  expect(attempts.length).toBeGreaterThan(0);
  for (const { detail } of attempts) expect(detail).not.toMatch(/secret|127\.0|password|example|AC1|\+1/);
});
