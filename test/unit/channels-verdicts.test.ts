import { CHANNELS } from '../../src/deliveries/channels/channel-table';
import { httpChannel, NOW, requestOf, response } from '../support/outgoing';

const HTTP_TYPES = [...CHANNELS].filter(([, channel]) => channel.transport === 'http').map(([type]) => type);
const BY_SUCCESS = ['slack', 'discord', 'microsoft_teams'];
const BY_CREATED = ['twilio', 'twilio_call', 'whatsapp'];

const judge = (type: string, status: number, headers = {}, body = '') => httpChannel(type).judge(response(status, headers, body), NOW);
const outcomeOf = (type: string, status: number, body = '') => {
  const { outcome, isFinal } = judge(type, status, {}, body);
  return `${outcome}${isFinal ? ', final' : ''}`;
};
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toUTCString();
const waitOf = (value: string) => judge('slack', 503, { 'retry-after': value }).retryAfterMs;

test.each(BY_SUCCESS)('%s has taken a message when it answers 2xx', (type) => {
  for (const status of [200, 201, 202, 204, 299]) expect(outcomeOf(type, status)).toBe('delivered, final');
});

test.each(BY_CREATED)('%s has taken a message when Twilio answers 201; another 2xx is a final rejection', (type) => {
  expect(outcomeOf(type, 201)).toBe('delivered, final');
  for (const status of [200, 202, 204]) expect(outcomeOf(type, status)).toBe('rejected, final');
});

test('telegram has taken a message when it answers 2xx with "ok":true', () => {
  expect(outcomeOf('telegram', 200, '{"ok":true,"result":{}}')).toBe('delivered, final');
  for (const body of ['', '{}', '{"ok":false}', '{"ok":"true"}', '{"ok":1}', 'null', '[]', '<html>', '{"ok":true', '"ok":true']) {
    expect([body, outcomeOf('telegram', 200, body)]).toEqual([body, 'rejected, final']);
  }
  expect(outcomeOf('telegram', 403, '{"ok":true}')).toBe('rejected, final');
});

test.each(HTTP_TYPES.filter((type) => type !== 'webhook'))('%s: only 3xx and 4xx are final, except 408, 425 and 429', (type) => {
  for (const status of [408, 425, 500, 502, 503, 504, 511, 599, 600, 999, 101]) expect(outcomeOf(type, status)).toBe('server_error');
  expect(outcomeOf(type, 429)).toBe('rate_limited');
  for (const status of [300, 301, 304, 307, 400, 401, 403, 404, 409, 410, 413, 422, 451, 499]) {
    expect(outcomeOf(type, status)).toBe('rejected, final');
  }
});

test('a webhook is tried again after every answer but 2xx and 410', () => {
  for (const status of [200, 202, 204]) expect(outcomeOf('webhook', status)).toBe('delivered, final');
  expect(outcomeOf('webhook', 410)).toBe('rejected, final');
  for (const status of [301, 304, 400, 401, 404, 411, 422]) expect(outcomeOf('webhook', status)).toBe('rejected');
  for (const status of [408, 425, 500, 503]) expect(outcomeOf('webhook', status)).toBe('server_error');
  expect(outcomeOf('webhook', 429)).toBe('rate_limited');
});

test('the SMTP server’s reply decides about a mail', () => {
  const channel = CHANNELS.get('email');
  const verdict = (code: number) => (channel?.transport === 'smtp' ? channel.judge({ code }) : undefined);
  for (const code of [250, 251]) expect(verdict(code)).toMatchObject({ outcome: 'delivered', isFinal: true, status: code });
  for (const code of [421, 450, 451, 452]) expect(verdict(code)).toMatchObject({ outcome: 'server_error', isFinal: false, status: code });
  for (const code of [500, 535, 550, 554]) expect(verdict(code)).toMatchObject({ outcome: 'rejected', isFinal: true, status: code });
});

test('Retry-After in seconds', () => {
  expect(waitOf('1')).toBe(1_000);
  expect(waitOf(' 120 ')).toBe(120_000);
});

test('Retry-After as a date, in the three formats of RFC 9110', () => {
  const now = Date.parse('1994-11-06T08:49:30Z');
  const dates = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];
  for (const date of dates) expect(httpChannel('slack').judge(response(503, { 'retry-after': date }), now).retryAfterMs).toBe(7_000);
  expect(waitOf(after(90))).toBe(89_300); // dates have whole seconds, and now has 700 ms
});

test.each(['', '0', '-5', '1.5', '1e3', '0x10', '5 s', '١', 'soon', 'tomorrow', 'NaN', '2026-11-22', 'Sat, 40 Nov 2026 12:00:00 GMT'])(
  'Retry-After %j is ignored',
  (value) => expect(waitOf(value)).toBeUndefined(),
);

test('a date in the past is ignored', () => {
  expect(waitOf(after(-1))).toBeUndefined();
  expect(waitOf('Sun, 06 Nov 1994 08:49:37 GMT')).toBeUndefined();
});

test('an hour is the longest wait', () => {
  for (const value of ['3600', '3601', '86400', '9'.repeat(400), after(86_400)]) expect(waitOf(value)).toBe(3_600_000);
});

test('Discord’s retry_after and Telegram’s parameters.retry_after count, and the longest wait wins', () => {
  const discord = (header: string | undefined, body: string) => judge('discord', 429, { 'retry-after': header }, body).retryAfterMs;
  expect(discord('65', '{"message":"You are being rate limited.","retry_after":64.57,"global":false}')).toBe(65_000);
  expect(discord('1', '{"retry_after":64.57}')).toBe(64_570);
  expect(discord(undefined, '{"retry_after":0.0001}')).toBe(1);
  expect(discord('soon', '{"retry_after":86400}')).toBe(3_600_000);
  for (const wait of ['-1', '0', 'null', '"5"', '1e999', '[5]']) expect(discord(undefined, `{"retry_after":${wait}}`)).toBeUndefined();
  const telegram = (body: string) => judge('telegram', 429, {}, body).retryAfterMs;
  expect(telegram('{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":35}}')).toBe(35_000);
  for (const body of ['{"retry_after":35}', '{"parameters":null}', '{"parameters":"35"}']) expect(telegram(body)).toBeUndefined();
});

test('a success asks for no wait', () => {
  expect(judge('slack', 200, { 'retry-after': '60' }).retryAfterMs).toBeUndefined();
});

test.each(HTTP_TYPES)('%s: the detail is a sentence with the status, and nothing of the response', (type) => {
  for (const status of [200, 201, 301, 404, 429, 503]) {
    const verdict = judge(type, status, { location: 'https://canary.example', server: 'canary', 'retry-after': 'canary' }, '{"canary":1}');
    expect(verdict.status).toBe(status);
    expect(verdict.detail).toMatch(new RegExp(`^The receiver answered ${status}[^.]*\\.$`));
    expect(verdict.detail).not.toContain('canary');
  }
});

test.each(HTTP_TYPES)('%s reads a body only where it decides', (type) => {
  const request = requestOf(type);
  const read = [200, 204, 404, 429, 503].filter((status) => request.readsBody(status));
  const whole = { twilio: [200, 204, 404, 429, 503], twilio_call: [200, 204, 404, 429, 503], whatsapp: [200, 204, 404, 429, 503] };
  expect(read).toEqual({ telegram: [200, 204, 429], discord: [429], ...whole }[type] ?? []);
  expect(request.needsWholeBody).toBe(type in whole);
});
