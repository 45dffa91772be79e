import { type TestAccount, useApplication } from './support/application';
import { deliveryWhen, finished, holdClock, REACH_LOOPBACK, sendMessage, webhookIdIn } from './support/deliveries';
import { MailServer, reply } from './support/mail-server';
import { answer, Receiver, type ReceivedRequest } from './support/receiver';
import { HANDLERS } from './support/records';

let receiver: Receiver;
let mailServer: MailServer;
/** Recipients whose mails the server refuses, with its code. */
const refused = new Map<string, number>();

const TWILIO = {
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 'twilio-secret',
  TWILIO_FROM: '+15005550006',
  TWILIO_WHATSAPP_FROM: '+15005550007',
};

const { application } = useApplication(async () => {
  receiver = await Receiver.start();
  mailServer = await MailServer.start({
    hideSTARTTLS: true,
    onRcptTo: ({ address }, _session, done) => done(refused.has(address) ? reply(refused.get(address)!) : undefined),
  });
  const urls = {
    SMTP_URL: `smtp://user:password@127.0.0.1:${mailServer.port}`,
    TELEGRAM_API_URL: receiver.url(''),
    TWILIO_API_URL: receiver.url(''),
  };
  return { ...REACH_LOOPBACK, ...TWILIO, ...urls, MAIL_FROM: 'Front Desk <desk@example.com>' };
});
let account: TestAccount;

/** Each test has an account of its own, since an account’s calls are paced. */
beforeEach(async () => {
  account = await application().createAccount();
  receiver.reset();
  receiver.answer = (response, request) => answer(statusOf(request), {}, '{"ok":true}')(response, request);
});
afterAll(async () => {
  await receiver.stop();
  await mailServer.close();
});

const statusOf = ({ path }: ReceivedRequest) => (path.startsWith('/2010-04-01/') ? 201 : 200);
const MESSAGE = { title: 'Backup <1>', text: 'It failed & *stopped*.\nTwice.', url: 'https://example.com/x' };
const LINES = [MESSAGE.title, MESSAGE.text, MESSAGE.url].join('\n');
const ACCOUNT_PATH = '/2010-04-01/Accounts/AC1';
const AUTHORIZATION = `Basic ${Buffer.from('AC1:twilio-secret').toString('base64')}`;

const SETTINGS: Record<string, () => Record<string, string>> = {
  email: () => ({ email: 'night@example.com' }),
  slack: () => ({ slack: receiver.url('/slack') }),
  discord: () => ({ discord: receiver.url('/discord') }),
  telegram: () => ({ telegram: '1:telegram-secret', telegram_chat_id: '-100' }),
  microsoft_teams: () => ({ microsoft_teams: receiver.url('/teams') }),
  twilio: () => ({ twilio: '+14155550100' }),
  twilio_call: () => ({ twilio_call: '+14155550100' }),
  whatsapp: () => ({ whatsapp: '+14155550100' }),
};

const newHandler = (type: string, settings = SETTINGS[type]()) =>
  account.client.create(HANDLERS, { name: 'Night shift', type, ...settings });
const send = async (handler: number) => (await sendMessage(account, [handler], MESSAGE))[0];
/** Of a mail's Message-ID. */
const localPartOf = async (id: number) => (await webhookIdIn(application(), id)).replace(/^msg_(.*)_/, '$1.');
const json = ({ body }: ReceivedRequest): unknown => JSON.parse(body);
const form = ({ body }: ReceivedRequest) => Object.fromEntries(new URLSearchParams(body));

/** Delivers the message through a new handler, and returns its one request. */
async function requestOf(type: string): Promise<ReceivedRequest> {
  const id = await send(await newHandler(type));
  expect(await finished(account, id)).toMatchObject({ type, status: 'delivered', attempts: 1, log: [{ outcome: 'delivered' }] });
  expect(receiver.requests).toHaveLength(1);
  return receiver.requests[0];
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
  expect([request.path, json(request)]).toEqual(['/slack', { text, mrkdwn: false, blocks }]);
});

test('discord gets the text without markup and mentions', async () => {
  const request = await requestOf('discord');
  expect(request.path).toBe('/discord');
  expect(json(request)).toEqual({ content: expect.stringContaining('\\*stopped\\*') as string, allowed_mentions: { parse: [] } });
});

test('telegram gets the text at the bot’s address', async () => {
  const request = await requestOf('telegram');
  expect([request.path, json(request)]).toEqual([
    '/bot1:telegram-secret/sendMessage',
    { chat_id: '-100', text: LINES, entities: [{ type: 'bold', offset: 0, length: MESSAGE.title.length }] },
  ]);
});

test('microsoft_teams gets an adaptive card', async () => {
  const request = await requestOf('microsoft_teams');
  expect(request.path).toBe('/teams');
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
  expect(request.path).toBe(`${ACCOUNT_PATH}/${resource}.json`);
  expect(request.headers).toMatchObject({ authorization: AUTHORIZATION, 'content-type': 'application/x-www-form-urlencoded' });
  expect(form(request)).toEqual(fields);
});

test('email is sent by the operator’s server', async () => {
  const id = await send(await newHandler('email'));
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', log: [{ outcome: 'delivered', status: 250 }] });
  const [mail, ...others] = mailServer.mails.splice(0);
  expect(others).toEqual([]);
  expect([mail.user, mail.envelope.mailFrom, mail.envelope.rcptTo.map(({ address }) => address)]).toEqual([
    'user',
    expect.objectContaining({ address: 'desk@example.com' }),
    ['night@example.com'],
  ]);
  for (const line of [
    'From: Front Desk <desk@example.com>',
    'To: night@example.com',
    'Subject: Backup <1>',
    `Message-ID: <${await localPartOf(id)}@example.com>`,
    'Auto-Submitted: auto-generated',
  ]) {
    expect(mail.content.split('\r\n')).toContain(line);
  }
  expect(mail.content).toContain(`\r\n\r\n${MESSAGE.text}\n\n${MESSAGE.url}\n\n-- \nNight shift, an alert of ${account.name}`.replaceAll(/\r?\n/g, '\r\n'));
});

test('email is tried again after a 4yz with the same Message-ID, and not after a 5yz', async () => {
  const clock = holdClock(application());
  refused.set('later@example.com', 451).set('never@example.com', 550);
  const never = await send(await newHandler('email', { email: 'never@example.com' }));
  expect(await finished(account, never)).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 550 }] });
  const later = await send(await newHandler('email', { email: 'later@example.com' }));
  const { log } = await deliveryWhen(
    account,
    later,
    ({ attempts, next_attempt, log: ended }) => attempts === ended.length && ended.length === 1 && next_attempt !== null,
  );
  expect(log).toEqual([expect.objectContaining({ outcome: 'server_error', status: 451 })]);
  refused.clear();
  clock.move(6_000);
  expect(await finished(account, later)).toMatchObject({ status: 'delivered', attempts: 2 });
  expect(mailServer.mails.splice(0).map(({ content }) => /^Message-ID: (.*)\r$/m.exec(content)?.[1])).toEqual([
    `<${await localPartOf(later)}@example.com>`,
  ]);
});

test('telegram’s answer must say ok, and its retry_after is waited for', async () => {
  receiver.answer = answer(200, {}, '{"ok":false}');
  const rejected = await finished(account, await send(await newHandler('telegram')));
  expect(rejected).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 200 }] });

  const clock = holdClock(application());
  receiver.answer = answer(429, {}, '{"ok":false,"parameters":{"retry_after":77}}');
  const id = await send(await newHandler('telegram'));
  const { log, next_attempt } = await deliveryWhen(account, id, ({ log: ended }) => ended.length === 1);
  expect(Date.parse(`${next_attempt}Z`) - Date.parse(`${log[0].datetime}Z`)).toBe(77_000);
  receiver.answer = answer(200, {}, '{"ok":true}');
  clock.move(78_000);
  expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
});

test('telegram and discord say why they refuse, without addresses and the handler’s secret', async () => {
  const cases: [type: string, status: number, body: object, detail: string][] = [
    ['telegram', 400, { description: 'Bad Request: chat not found' }, '"Bad Request: chat not found"'],
    ['telegram', 401, { description: `Unauthorized 1:telegram-secret\nat ${receiver.url('/x')}` }, '"Unauthorized … at …"'],
    ['discord', 404, { message: 'Unknown Webhook', code: 10015 }, '"Unknown Webhook"'],
    ['discord', 400, { message: `no discord at 127.0.0.1 ${'💈'.repeat(200)}` }, `"no … at … ${'💈'.repeat(94)}…"`],
  ];
  for (const [type, status, body, reason] of cases) {
    receiver.answer = answer(status, {}, JSON.stringify(body));
    const { log } = await finished(account, await send(await newHandler(type)));
    expect(log).toEqual([expect.objectContaining({ outcome: 'rejected', status, detail: `The receiver answered ${status}: ${reason}.` })]);
  }
});

test.each(['twilio', 'twilio_call', 'whatsapp'])('%s is never sent twice, whatever becomes of the answer', async (type) => {
  const clock = holdClock(application());
  receiver.answer = (response) => response.destroy();
  const id = await send(await newHandler(type));
  expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'unknown', status: null }] });
  clock.move(2_000); // a call a second
  receiver.answer = answer(200);
  const wrong = await send(await newHandler(type));
  expect(await finished(account, wrong)).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'rejected', status: 200 }] });
  expect(receiver.requests).toHaveLength(2);
});

test('no detail of an attempt holds a secret', async () => {
  const attempts = await application().rows('delivery_attempts');
  expect(attempts.length).toBeGreaterThan(0);
  for (const { detail } of attempts) expect(detail).not.toMatch(/secret|127\.0|password|example|AC1|\+1/);
});
