import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import type { OutgoingMessage } from '../../../src/deliveries/channels/channel';
import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import { cut, escapeEntities, fit, joinLines, type Wording } from '../../../src/deliveries/channels/text-fit';
import { webhookSignature } from '../../../src/deliveries/channels/webhook.channel';
import { channelContext, FUZZED, jsonOf, messages, NOW, outgoing, requestOf } from '../../support/areas/outgoing';

function mailOf(message: Partial<OutgoingMessage> = {}, from = 'Front desk <desk@mail.example.com>') {
  const channel = CHANNELS.get('email');
  if (channel?.transport !== 'smtp') throw new Error('email is not sent by SMTP.');
  const { accounts } = channelContext();
  return channel.mail(outgoing(message), channelContext({ accounts: { ...accounts, smtp: { ...accounts.smtp!, from } } }));
}

test('email: the message is plain text with headers against automatic replies', () => {
  expect(mailOf()).toEqual({
    wording: { title: 'Closed on Monday', text: expect.stringMatching(/Tuesday\.$/) as string, url: expect.any(String) as string },
    to: 'ops@example.com',
    subject: 'Closed on Monday',
    text: 'The shop is closed.\nSee you on Tuesday.\n\nhttps://example.com/hours?day=1&week=2\n\n' + '-- \nNight shift, an alert of acme',
    messageId: '<5f0c1e9ab27d.7@mail.example.com>',
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  });
});

test('email: without a title, the subject is the first line of the text, up to 78 characters', () => {
  expect(mailOf({ title: '' }).subject).toBe('The shop is closed.');
  expect(mailOf({ title: '', text: '\n \nSecond line' }).subject).toBe('Second line');
  expect(mailOf({ title: '', text: 'x'.repeat(78) }).subject).toBe('x'.repeat(78));
  expect(mailOf({ title: '', text: 'x'.repeat(79) }).subject).toBe(`${'x'.repeat(77)}…`);
  expect(mailOf({ title: '', text: `https://a.example/${'x'.repeat(100)}` }).subject).toMatch(/^https:\/\/a\.example\/x+…$/);
  expect(mailOf({ title: 't'.repeat(200) }).subject).toBe('t'.repeat(200));
});

test('email: line breaks never reach a header', () => {
  expect(mailOf({ title: 'a\r\nBcc: b@example.com\u2028c\u0085d' }).subject).toBe('a Bcc: b@example.com c d');
  fc.assert(
    fc.property(messages, (message) => {
      const { subject, text } = mailOf(message);
      expect(text).toBe(`${message.text}\n\n${message.url && `${message.url}\n\n`}-- \nNight shift, an alert of acme`);
      expect(subject).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
      expect(subject.isWellFormed()).toBe(true);
    }),
    FUZZED,
  );
});

test('email: the Message-ID has the ASCII domain of MAIL_FROM, and tests have their own id', () => {
  expect(mailOf({}, 'desk@example.com').messageId).toBe('<5f0c1e9ab27d.7@example.com>');
  expect(mailOf({}, '"Desk @ front" <desk@exämple.com>').messageId).toBe('<5f0c1e9ab27d.7@xn--exmple-cua.com>');
  expect(mailOf({ part: null, webhookId: 'msg_7' }).messageId).toBe('<delivery-7@mail.example.com>');
  const test = { messageId: null, deliveryId: null, part: null, webhookId: 'msg_test_x1' };
  expect(mailOf(test).messageId).toBe('<msg_test_x1@mail.example.com>');
});

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLDER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

test('webhook: the signature matches the published test vector', () => {
  const signature = webhookSignature([SECRET], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('webhook: the standardwebhooks package verifies a request with each of its secrets', () => {
  jest.useFakeTimers({ now: NOW });
  try {
    const { headers, body } = requestOf('webhook', { text: 'Ünïcödé 💈' }, { signingSecrets: [OLDER, SECRET] });
    for (const secret of [OLDER, SECRET]) expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ type: 'message' });
    expect(() => new Webhook(OLDER).verify(`${body} `, { ...headers })).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(body, { ...headers, 'webhook-id': 'msg_8' })).toThrow('No matching signature');
  } finally {
    jest.useRealTimers();
  }
});

test('webhook: every secret signs, in the given order', () => {
  const signatures = requestOf('webhook', {}, { signingSecrets: [OLDER, SECRET] }).headers['webhook-signature'].split(' ');
  const single = (secret: string) => requestOf('webhook', {}, { signingSecrets: [secret] }).headers['webhook-signature'];
  expect(signatures).toEqual([single(OLDER), single(SECRET)]);
});

test('webhook: the body has five data fields, the message’s time and numeric ids', () => {
  expect(requestOf('webhook')).toMatchObject({
    url: 'https://hooks.example.com/1',
    isTrusted: false,
    needsNewConnection: false,
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_5f0c1e9ab27d_7', 'webhook-timestamp': '1795263403' },
    body:
      '{"type":"message","timestamp":"2026-11-20T23:59:58Z","data":{"message_id":3,"delivery_id":7,"title":"Closed on Monday",' +
      '"text":"The shop is closed.\\nSee you on Tuesday.","url":"https://example.com/hours?day=1&week=2"}}',
  });
});

test('webhook: empty fields are sent as empty strings, and a test message has null ids', () => {
  const { body, headers } = requestOf('webhook', { messageId: null, deliveryId: null, webhookId: 'msg_test_x1', title: '', url: '' });
  expect(headers['webhook-id']).toBe('msg_test_x1');
  expect(JSON.parse(body)).toMatchObject({ data: { message_id: null, delivery_id: null, title: '', url: '' } });
});

test('webhook: the longest message is not truncated', () => {
  const text = '💈'.repeat(4_000);
  expect(JSON.parse(requestOf('webhook', { text }).body)).toMatchObject({ data: { text } });
});

const fitTo = (max: number, wording: Partial<Wording>, render = joinLines) =>
  fit({ title: '', text: '', url: '', ...wording }, render, (rendered) => rendered.length <= max).rendered;

test('lines() puts title, text and url on lines of their own, without empty ones', () => {
  expect(joinLines({ title: 'Title', text: 'Text\nmore', url: 'https://a.example' })).toBe('Title\nText\nmore\nhttps://a.example');
  expect(joinLines({ title: '', text: 'Text', url: '' })).toBe('Text');
});

test('fit() truncates the text, keeping title and url', () => {
  expect(fitTo(20, { title: 'Title', text: 'A long text', url: 'https://a' })).toBe('Title\nA l…\nhttps://a');
});

test('fit() keeps a text that fits exactly', () => {
  expect(fitTo(11, { text: 'A long text' })).toBe('A long text');
  expect(fitTo(10, { text: 'A long text' })).toBe('A long te…');
});

test('fit() omits a url that leaves no room for the text', () => {
  expect(fitTo(11, { text: 'A long text', url: 'https://a' })).toBe('…\nhttps://a');
  expect(fitTo(10, { text: 'A long text', url: 'https://a' })).toBe('A long te…');
  expect(fitTo(11, { text: 'A long text', url: 'https://a.example/' })).toBe('A long text');
});

test('fit() truncates a title that is too long by itself', () => {
  expect(fitTo(4, { title: 'Title', text: 'Text', url: 'https://a' })).toBe('Tit…');
  expect(fitTo(0, { title: 'Title', text: 'Text' })).toBe('');
});

test('cut() cuts between code points', () => {
  expect(cut('💈💈💈', 6)).toBe('💈💈💈');
  expect(cut('💈💈💈', 5)).toBe('💈💈…');
  expect(cut('💈💈💈', 4)).toBe('💈…');
  expect(cut('💈', 1)).toBe('…');
});

test('fit() never truncates an address within the text', () => {
  const text = 'See https://a.example/b, then more';
  expect(fitTo(34, { text })).toBe(text);
  expect(fitTo(33, { text })).toBe('See https://a.example/b, then mo…');
  expect(fitTo(26, { text })).toBe('See https://a.example/b, …');
  for (let max = 5; max < 26; max++) expect(fitTo(max, { text })).toBe('See …');
  expect(fitTo(10, { text: 'https://a.example' })).toBe('…');
  expect(fitTo(12, { text: '<https://a>more' })).toBe('<https://a>…');
  expect(fitTo(11, { text: '<https://a>more' })).toBe('<…');
});

test('fit() never splits an escape sequence', () => {
  const render = (wording: Wording) => escapeEntities(joinLines(wording));
  for (let max = 1; max <= 15; max++) expect(fitTo(max, { text: '&&&' }, render)).toMatch(/^(&amp;)*…?$/);
});

test('fit() keeps as much of any message as fits', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 500, max: 3_000 }), (message, max) => {
      const fitted = fitTo(max, message);
      expect(fitted.length).toBeLessThanOrEqual(max);
      expect(fitted.isWellFormed()).toBe(true);
      expect(fitted.startsWith(message.title)).toBe(true);
      const hasRoom = joinLines({ ...message, text: '…' }).length <= max;
      const whole = joinLines(hasRoom ? message : { ...message, url: '' });
      if (whole.length <= max) return expect(fitted).toBe(whole);
      const end = hasRoom && message.url ? `…\n${message.url}` : '…';
      expect(fitted.endsWith(end)).toBe(true);
      expect(whole.startsWith(fitted.slice(0, -end.length))).toBe(true);
      const said = fitted.slice(0, -end.length);
      const left = /^(https?:\/\/[^\s<>]*[\s<>]?|.)/su.exec(whole.slice(said.length))![0];
      expect(fitted.length + left.length).toBeGreaterThan(max); // nor does one more code point or address fit
    }),
  );
});

const MESSAGE = {
  title: 'Backup failed',
  text: 'db-2 *stopped*: disk full.\nSee https://example.com/runbooks/disk, step 3.',
  url: 'https://example.com/alerts/17',
};

interface Run {
  text?: string;
  url?: string;
  style?: { bold: boolean };
  weight?: string;
  selectAction?: { url: string };
}

interface Slack {
  blocks: [{ elements: [{ elements: Run[] }] }];
}

interface Telegram {
  text: string;
  entities: [{ offset: number; length: number }];
}

interface Teams {
  attachments: [{ content: { body: { inlines: Run[] }[] } }];
}

function pictureOf({ text, url, style, weight, selectAction }: Run): string {
  const shown = text ?? url!;
  if (style?.bold || weight) return `**${shown}**`;
  return url || selectAction ? `‹${shown}›` : shown;
}

const picture = (runs: Run[]) => runs.map(pictureOf).join('');
const formOf = (type: string) => new URLSearchParams(requestOf(type, MESSAGE).body);

/** What each receiver displays. */
const PICTURES: Record<string, () => string> = {
  email() {
    const { to, subject, text } = mailOf(MESSAGE);
    return `To: ${to}\nSubject: ${subject}\n\n${text.replace('-- \n', '--\n')}`;
  },
  webhook: () => JSON.stringify(jsonOf('webhook', MESSAGE), null, 2),
  slack: () => picture(jsonOf<Slack>('slack', MESSAGE).blocks[0].elements[0].elements),
  discord: () => jsonOf<{ content: string }>('discord', MESSAGE).content.replace(/\\([^0-9A-Za-z\s])/g, '$1'),
  telegram() {
    const { text, entities } = jsonOf<Telegram>('telegram', MESSAGE);
    const [{ offset, length }] = entities;
    return `${text.slice(0, offset)}**${text.slice(offset, offset + length)}**${text.slice(offset + length)}`;
  },
  microsoft_teams: () =>
    jsonOf<Teams>('microsoft_teams', MESSAGE)
      .attachments[0].content.body.map(({ inlines }) => picture(inlines))
      .join('\n'),
  twilio: () => formOf('twilio').get('Body')!,
  twilio_call: () =>
    formOf('twilio_call')
      .get('Twiml')!
      .replace(/<Say[^>]*>(.*?)<\/Say>/gs, (_, said: string) => `“${said}”\n`)
      .replaceAll('<Pause/>', '(pause of one second)\n')
      .replace('<Pause length="2"/>', '(pause of two seconds)\n')
      .replace(/<\/?Response>/g, '')
      .trim(),
  whatsapp: () => formOf('whatsapp').get('Body')!,
};

test('message-formats.md shows each type as its receiver does', () => {
  const page = readFileSync(join(__dirname, '../../../docs/guides/message-formats.md'), 'utf8');
  const shown = Array.from(page.matchAll(/^`(\w+)`[^`]*:\n\n```\n(.*?)\n```$/gms), ([, type, block]) => [type, block]);
  expect(shown).toEqual([...CHANNELS.keys()].map((type) => [type, PICTURES[type]()]));
});
