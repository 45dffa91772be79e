import fc from 'fast-check';
import type { OutboundRequest, OutboundResponse } from '../../../src/platform/outbound/outbound-request';
import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import type { ChannelContext, HttpChannel, OutgoingMessage } from '../../../src/deliveries/channels/channel';

export const NOW = Date.parse('2026-11-21T12:16:43.700Z');

const OUTGOING: OutgoingMessage = {
  messageId: 3,
  deliveryId: 7,
  part: '5f0c1e9ab27d',
  event: null,
  webhookId: 'msg_5f0c1e9ab27d_7',
  traceparent: null,
  title: 'Closed on Monday',
  text: 'The shop is closed.\nSee you on Tuesday.',
  url: 'https://example.com/hours?day=1&week=2',
  datetime: '2026-11-20 23:59:58',
};

const CONTEXT: ChannelContext = {
  settings: {
    email: 'ops@example.com',
    webhook: 'https://hooks.example.com/1',
    slack: 'https://hooks.slack.example.com/1',
    discord: 'https://discord.example.com/1',
    telegram: '123456789:an-example-token',
    telegram_chat_id: '-1001234567890',
    microsoft_teams: 'https://teams.example.com/1',
    twilio: '+5511987654321',
    twilio_call: '+5511987654321',
    whatsapp: '+5511987654321',
  },
  handlerName: 'Night shift',
  accountName: 'acme',
  signingSecrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  accounts: {
    smtp: {
      host: 'mail.example.com',
      port: 587,
      isImplicitTls: false,
      ehloName: 'desk.example.com',
      from: 'Front desk <desk@mail.example.com>',
    },
    telegramApiUrl: 'https://api.telegram.org',
    twilioApiUrl: 'https://api.twilio.com',
    twilioCallLanguage: 'en-US',
    twilio: {
      sid: `AC${'0'.repeat(32)}`,
      token: 'a-token',
      from: '+15005550006',
      whatsappFrom: '+14155238886',
      whatsappMax: 900,
    },
  },
  now: NOW,
};

export function outgoing(change: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { ...OUTGOING, ...change };
}

export function channelContext(change: Partial<ChannelContext> = {}): ChannelContext {
  return { ...CONTEXT, ...change };
}

export function httpChannel(type: string): HttpChannel {
  const channel = CHANNELS.get(type);
  if (channel?.transport !== 'http') throw new Error(`${type} is not sent over HTTP.`);
  return channel;
}

export function requestOf(type: string, message: Partial<OutgoingMessage> = {}, context: Partial<ChannelContext> = {}): OutboundRequest {
  return httpChannel(type).request(outgoing(message), channelContext(context));
}

/** The request's body, parsed from JSON. */
export function jsonOf<T>(type: string, message: Partial<OutgoingMessage> = {}): T {
  return JSON.parse(requestOf(type, message).body) as T;
}

export function response(status: number, headers: OutboundResponse['headers'] = {}, body = ''): OutboundResponse {
  return { status, headers, body };
}

/** Code points of every plane and markup of all channels; no lone surrogates, which the API rejects. */
const character = fc.oneof(
  fc.constantFrom(...'\\*_~|`<>[]()@#:-+.&"\'{}=/1 \n\t', '💈', '\uFFFF', '\uFFFE', '\u0000', 'é', '@everyone', '<@1>', '{{DATE(', '://'),
  fc.constantFrom('https://example.com/a_b*c', ' http://a.example/?x=(1). ', 'https://', '\n- ', '`'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

/** Messages that the API accepts, or a little longer. */
export const messages = fc.record({
  title: fc
    .array(character, { maxLength: 200, size: 'max' })
    .map((characters) => [...characters.join('').replaceAll('\n', ' ')].slice(0, 200).join('')),
  text: fc.oneof(
    fc.array(character, { minLength: 1, maxLength: 100 }).map((characters) => characters.join('')),
    fc.tuple(character, fc.integer({ min: 1, max: 4_000 })).map(([repeated, times]) => `x${repeated.repeat(times)}`),
    fc.array(character, { minLength: 1, maxLength: 4_000, size: 'max' }).map((characters) => characters.join('')),
  ),
  url: fc.oneof(
    fc.constant(''),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.nat(2_028).map((length) => `https://example.com/${'u'.repeat(length)}`),
  ),
});

/** Sixteen texts per channel, the same in every run. */
export const FUZZED = { numRuns: 16, seed: 20_261_124 };

/** The text is complete, or truncated with `…` between code points and outside addresses. */
export function expectSaid(shown: string, message: { title: string; text: string; url: string }): void {
  const { title, text, url } = message;
  const [before, after] = [title && `${title}\n`, url && `\n${url}`];
  expect(shown.isWellFormed()).toBe(true);
  expect(shown.startsWith(before)).toBe(true);
  const said = shown.slice(before.length, after && shown.endsWith(after) ? -after.length : undefined);
  if (said === text) return;
  expect(said.endsWith('…')).toBe(true);
  const beginning = said.slice(0, -1);
  expect(text.startsWith(beginning)).toBe(true);
  const whole = new Set(text.match(ADDRESSES));
  for (const address of said.match(ADDRESSES) ?? []) expect(whole).toContain(address);
}

/** Independent of the code that it checks. */
export const ADDRESSES = /https?:\/\/[^\s<>]*[^\s<>.,:;!?'")\]]/g;
