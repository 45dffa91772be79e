import fc from 'fast-check';
import { NotConfigured } from '../../../src/deliveries/channels/channel';
import { ADDRESSES, channelContext, expectSaid, FUZZED, messages, requestOf } from '../../support/areas/outgoing';

/**
 * Facts of Twilio's published OpenAPI, github.com/twilio/twilio-oai at d50069b, spec/json/twilio_api_v2010.json: the parameters of
 * CreateMessage and CreateCall that are sent here, with their patterns and their documented maxima.
 */
const OPERATIONS = {
  Messages: {
    required: ['To'],
    parameters: {
      To: {},
      From: {},
      MessagingServiceSid: { pattern: /^MG[0-9a-fA-F]{32}$/ },
      Body: { max: 1_600 },
      ContentSid: { pattern: /^HX[0-9a-fA-F]{32}$/ },
      ContentVariables: {},
    },
  },
  Calls: { required: ['To', 'From'], parameters: { To: {}, From: {}, Twiml: { max: 4_000 } } },
};
const PATH = /^https:\/\/api\.twilio\.com\/2010-04-01\/Accounts\/AC[0-9a-fA-F]{32}\/(Messages|Calls)\.json$/;

interface Parameter {
  max?: number;
  pattern?: RegExp;
}

type Account = Partial<NonNullable<ReturnType<typeof channelContext>['accounts']['twilio']>>;

const SERVICE = `MG${'1'.repeat(32)}`;
const TEMPLATE = `HX${'2'.repeat(32)}`;
const TYPES = ['twilio', 'twilio_call', 'whatsapp'];

function withAccount(account: Account) {
  const { accounts } = channelContext();
  return { accounts: { ...accounts, twilio: { ...accounts.twilio!, ...account } } };
}

/** The form, if Twilio's description accepts the request. */
function formOf(type: string, message = {}, account: Account = {}): Record<string, string> {
  const { url, headers, body } = requestOf(type, message, withAccount(account));
  const operation = OPERATIONS[PATH.exec(url)?.[1] as keyof typeof OPERATIONS];
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  const pairs = [...new URLSearchParams(body)];
  const form = Object.fromEntries(pairs);
  expect(Object.keys(form)).toHaveLength(pairs.length);
  expect(Object.keys(form)).toEqual(expect.arrayContaining(operation.required));
  for (const [name, value] of pairs) {
    const parameter = (operation.parameters as Record<string, Parameter>)[name];
    expect([name, parameter]).not.toEqual([name, undefined]);
    expect(value).toMatch(parameter.pattern ?? /./s);
    expect(value.length).toBeLessThanOrEqual(parameter.max ?? Infinity);
  }
  return form;
}

test.each(TYPES)('%s: a request uses the operator’s account and a new connection', (type) => {
  const { headers, isTrusted, needsNewConnection } = requestOf(type);
  expect([isTrusted, needsNewConnection]).toEqual([true, true]);
  expect(Buffer.from(headers.authorization.replace('Basic ', ''), 'base64').toString()).toBe(`AC${'0'.repeat(32)}:a-token`);
});

test('twilio: sends from the messaging service, or else from the number', () => {
  const message = { title: 'T', text: 'a\nb & c', url: 'https://a.example/?b=c' };
  const expected = { To: '+5511987654321', Body: 'T\na\nb & c\nhttps://a.example/?b=c' };
  expect(formOf('twilio', message)).toEqual({ ...expected, From: '+15005550006' });
  expect(formOf('twilio', message, { messagingServiceSid: SERVICE })).toEqual({ ...expected, MessagingServiceSid: SERVICE });
});

test('twilio_call: reads the escaped message aloud, and always calls from the number', () => {
  const message = { title: 'A < B & C', text: ']]> "q" <Hangup/>\u0001\uFFFE', url: 'https://a.example' };
  const said = '<Say language="en-US">A &lt; B &amp; C</Say><Pause/><Say language="en-US">]]&gt; "q" &lt;Hangup/&gt;</Say>';
  expect(formOf('twilio_call', message, { messagingServiceSid: SERVICE })).toEqual({
    To: '+5511987654321',
    From: '+15005550006',
    Twiml: `<Response>${said}<Pause length="2"/>${said}</Response>`,
  });
});

const twimlOf = (message: object) => formOf('twilio_call', message).Twiml;
const say = (text: string) => `<Say language="en-US">${text}</Say>`;
const twice = (said: string) => `<Response>${said}<Pause length="2"/>${said}</Response>`;

test('twilio_call: URLs are not read aloud, and a message of nothing but URLs throws', () => {
  const text = 'See https://a.example/?b=c, or http://d.example!';
  expect(twimlOf({ title: '', text })).toBe(twice(say('See , or !')));
  expect(twimlOf({ title: 'Title', text: ' https://a.example\n' })).toBe(twice(say('Title')));
  for (const nothing of ['https://a.example', ' \n', '\uFFFF', 'http:\uFFFE//a.example']) {
    expect(() => twimlOf({ title: '', text: nothing })).toThrow('The message has nothing to read aloud.');
  }
});

test('twilio_call: reads up to 600 characters in the operator’s language', () => {
  expect(twimlOf({ title: '', text: 'x'.repeat(600) })).toBe(twice(say('x'.repeat(600))));
  expect(twimlOf({ title: '', text: 'x'.repeat(601) })).toBe(twice(say(`${'x'.repeat(599)}…`)));
  const accounts = { ...channelContext().accounts, twilioCallLanguage: 'pt-BR' };
  expect(new URLSearchParams(requestOf('twilio_call', { title: '', text: 'x' }, { accounts }).body).get('Twiml')).toContain(
    '<Say language="pt-BR">x</Say>',
  );
});

describe('twilio_call: acknowledgement by key', () => {
  const keyCallback = 'https://desk.example.com/a&b/callbacks/twilio';
  const waiting = { title: 'Title', text: 'Text', acknowledge_url: 'https://desk.example.com/a&b/acknowledge/AAAAtoken-_A' };
  const twimlIn = (twilioCallLanguage: string, message: object = waiting, account: Account = { keyCallback }) => {
    const { accounts } = withAccount(account);
    const { body } = requestOf('twilio_call', message, { accounts: { ...accounts, twilioCallLanguage } });
    return new URLSearchParams(body).get('Twiml')!;
  };
  const begin = '<Gather numDigits="1" action="https://desk.example.com/a&amp;b/callbacks/twilio/AAAAtoken-_A">';

  test.each([
    ['en-GB', 'Press 1 to acknowledge.', 'en-GB'],
    ['pt-BR', 'Pressione 1 para confirmar.', 'pt-BR'],
    ['PT', 'Pressione 1 para confirmar.', 'PT'],
    ['de-DE', 'Press 1 to acknowledge.', 'en-US'],
  ])('twilio_call: the prompt for a key in %s is "%s"', (language, press, voice) => {
    const say = (text: string) => `<Say language="${language}">${text}</Say>`;
    const spoken = `${say('Title')}<Pause/>${say('Text')}<Pause/><Say language="${voice}">${press}</Say>`;
    expect(twimlIn(language)).toBe(`<Response>${begin}${spoken}<Pause length="2"/>${spoken}</Gather></Response>`);
  });

  test('twilio_call: no key is requested without an https PUBLIC_URL or without until=acknowledged', () => {
    expect(twimlIn('en-US', waiting, {})).toBe(twice(`${say('Title')}<Pause/>${say('Text')}`));
    expect(twimlIn('en-US', { ...waiting, acknowledge_url: undefined })).toBe(twice(`${say('Title')}<Pause/>${say('Text')}`));
  });

  test('twilio_call: a long text does not truncate the prompt for a key', () => {
    const twiml = twimlIn('en-US', { ...waiting, title: '<'.repeat(200), text: '&'.repeat(4_000) });
    expect(twiml.length).toBeLessThanOrEqual(4_000);
    expect(twiml.length).toBeGreaterThan(4_000 - 2 * '&amp;'.length);
    expect(twiml.startsWith(`<Response>${begin}`)).toBe(true);
    expect(twiml.endsWith('…</Say><Pause/><Say language="en-US">Press 1 to acknowledge.</Say></Gather></Response>')).toBe(true);
  });
});

const ILLEGAL = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const unescaped = (xml: string) => xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

test('twilio_call: the TwiML of any message is well-formed XML of at most 4,000 characters', () => {
  /** https://www.w3.org/TR/xml/#NT-Char without & and <, and the references of #sec-predefined-ent. */
  const said = /^<Response>(.*)<Pause length="2"\/>\1<\/Response>$/s;
  const parts = /^(?:<Say language="en-US">([^<]*)<\/Say><Pause\/>)?<Say language="en-US">([^<]*)<\/Say>$/;
  const content = /^([\t\n\r\u{20}-\u{25}\u{27}-\u{3B}\u{3D}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|&(amp|lt|gt);)*$/u;
  fc.assert(
    fc.property(messages, (message) => {
      const spoken = message.text.replace(ILLEGAL, '').replace(ADDRESSES, '');
      const title = message.title.replace(ILLEGAL, '');
      if (!title.trim() && !spoken.trim()) return expect(() => twimlOf(message)).toThrow(NotConfigured);
      const twiml = twimlOf(message);
      expect(twiml.length).toBeLessThanOrEqual(4_000);
      expect(twiml.isWellFormed()).toBe(true);
      expect(twiml).not.toContain(']]>');
      const shown = parts
        .exec(said.exec(twiml)![1])!
        .slice(1)
        .filter((part) => part !== undefined);
      for (const part of shown) expect(part).toMatch(content);
      const heard = { title: title.trim() && title, text: spoken.trim() && spoken, url: '' };
      if (!heard.text) return expect(shown.map(unescaped)).toEqual([heard.title]);
      expectSaid(shown.map(unescaped).join('\n'), heard);
    }),
    FUZZED,
  );
  expect(twimlOf({ title: '', text: '&'.repeat(600), url: '' }).length).toBeGreaterThan(4_000 - 2 * '&amp;'.length);
});

test('whatsapp: both numbers have the prefix exactly once', () => {
  const expected = { To: 'whatsapp:+5511987654321', From: 'whatsapp:+14155238886', Body: 'x' };
  for (const whatsappFrom of ['+14155238886', 'whatsapp:+14155238886']) {
    expect(formOf('whatsapp', { title: '', text: 'x', url: '' }, { whatsappFrom, messagingServiceSid: SERVICE })).toEqual(expected);
  }
});

test('twilio: truncated text ends with `...` in GSM-7 and with `…` otherwise', () => {
  const bodyOf = (text: string) => formOf('twilio', { title: '', text, url: '' }).Body;
  expect(bodyOf('wörd '.repeat(400))).toMatch(/^(wörd )+(wör?d? ?)?\.\.\.$/);
  expect(bodyOf('palavrã '.repeat(400))).toMatch(/…$/);
  expect(bodyOf(`${'word '.repeat(400)}ã`)).toMatch(/\.\.\.$/); // the rest of the text is GSM-7
});

test('whatsapp: a template gets two variables without line breaks', () => {
  const variablesOf = (message: object) => {
    const form = formOf('whatsapp', message, { whatsappContentSid: TEMPLATE });
    expect(Object.keys(form)).toEqual(['To', 'From', 'ContentSid', 'ContentVariables']);
    return JSON.parse(form.ContentVariables) as Record<string, string>;
  };
  const text = 'First  line\n\n\tsecond "line"';
  expect(variablesOf({ title: 'The  title', text, url: 'https://a.example' })).toEqual({
    1: 'The title',
    2: 'First line second "line" https://a.example',
  });
  expect(variablesOf({ title: '', text, url: '' })).toEqual({ 1: 'First line second "line"', 2: 'First line second "line"' });
  const long = variablesOf({ title: '', text: 'word '.repeat(800), url: 'https://a.example' });
  expect(long[1]).toHaveLength(78);
  expect(long[2]).toHaveLength(900);
  expect(long[2]).toMatch(/… https:\/\/a\.example$/);
  fc.assert(
    fc.property(messages, (message) => {
      const values = Object.values(variablesOf(message));
      for (const value of values) {
        expect(value).toMatch(/^([^\s]|\s(?!\s))+$/);
        expect(value).not.toMatch(/[\n\t]/);
        expect(value.length).toBeLessThanOrEqual(900);
        expect(value.isWellFormed()).toBe(true);
      }
    }),
  );
});

test.each(['twilio', 'whatsapp'])('%s: any message has at most 1,600 characters, keeping the title', (type) => {
  fc.assert(
    fc.property(messages, (message) => {
      const { Body } = formOf(type, message);
      expect(Body.length).toBeLessThanOrEqual(1_600);
      expectSaid(Body, { ...message, url: Body.endsWith(`\n${message.url}`) ? message.url : '' });
    }),
    FUZZED,
  );
});

test.each(TYPES)('%s: the sid of a 201 is read if status callbacks are on', (type) => {
  const statusCallback = 'https://desk.example.com/callbacks/twilio';
  const request = requestOf(type, {}, withAccount({ statusCallback }));
  expect([request.readsBody(201), request.needsWholeBody(201)]).toEqual([true, false]);
  const asked = [...new URLSearchParams(request.body)].filter(([name]) => name.startsWith('StatusCallback'));
  const events = type === 'twilio_call' ? ['initiated', 'ringing', 'answered', 'completed'] : [];
  expect(asked).toEqual([['StatusCallback', statusCallback], ...events.map((event) => ['StatusCallbackEvent', event])]);
  const [asTest, unasked] = [requestOf(type, { deliveryId: null }, withAccount({ statusCallback })), requestOf(type)];
  for (const sent of [asTest, unasked]) expect([sent.body.includes('StatusCallback'), sent.readsBody(201)]).toEqual([false, false]);
});
