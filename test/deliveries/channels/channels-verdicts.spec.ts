import type { MailStep } from '../../../src/platform/outbound/outbound-request';
import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import { quote } from '../../../src/deliveries/channels/verdicts';
import { channelContext, httpChannel, NOW, requestOf, response } from '../../support/areas/outgoing';

const HTTP_TYPES = [...CHANNELS].filter(([, channel]) => channel.transport === 'http').map(([type]) => type);
const BY_SUCCESS = ['slack', 'discord', 'microsoft_teams'];
const BY_CREATED = ['twilio', 'twilio_call', 'whatsapp'];

const { settings } = channelContext();
const judge = (type: string, status: number, headers = {}, body = '', now = NOW) =>
  httpChannel(type).judge(response(status, headers, body), now, settings);
const outcomeOf = (type: string, status: number, body = '') => {
  const { outcome, isFinal } = judge(type, status, {}, body);
  return `${outcome}${isFinal ? ', final' : ''}`;
};
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toUTCString();
const waitOf = (value: string) => judge('slack', 503, { 'retry-after': value }).retryAfterMs;

test.each(BY_SUCCESS)('%s: any 2xx means delivered', (type) => {
  for (const status of [200, 201, 202, 204, 299]) expect(outcomeOf(type, status)).toBe('delivered, final');
});

test.each(BY_CREATED)('%s: 201 means delivered, and any other 2xx rejected', (type) => {
  expect(outcomeOf(type, 201)).toBe('delivered, final');
  for (const status of [200, 202, 204]) expect(outcomeOf(type, status)).toBe('rejected, final');
});

test('telegram: 2xx with "ok":true means delivered', () => {
  expect(outcomeOf('telegram', 200, '{"ok":true,"result":{}}')).toBe('delivered, final');
  for (const body of ['', '{}', '{"ok":false}', '{"ok":"true"}', '{"ok":1}', 'null', '[]', '<html>', '{"ok":true', '"ok":true']) {
    expect([body, outcomeOf('telegram', 200, body)]).toEqual([body, 'rejected, final']);
  }
  expect(outcomeOf('telegram', 403, '{"ok":true}')).toBe('rejected, final');
});

test.each(HTTP_TYPES.filter((type) => type !== 'webhook'))(
  '%s: 3xx and 4xx are final, except 408, 425, 429 and operator errors',
  (type) => {
    for (const status of [408, 425, 500, 502, 503, 504, 511, 599, 600, 999, 101]) expect(outcomeOf(type, status)).toBe('server_error');
    expect(outcomeOf(type, 429)).toBe('rate_limited');
    const refused = BY_CREATED.includes(type) ? 'operator_error' : 'rejected, final';
    for (const status of [401, 403]) expect(outcomeOf(type, status)).toBe(refused);
    for (const status of [300, 301, 304, 307, 400, 404, 409, 410, 413, 422, 451, 499]) {
      expect(outcomeOf(type, status)).toBe('rejected, final');
    }
  },
);

test('webhook: every response but 2xx, 3xx and 410 is retried', () => {
  for (const status of [200, 202, 204]) expect(outcomeOf('webhook', status)).toBe('delivered, final');
  for (const status of [300, 301, 302, 304, 308, 399, 410]) expect(outcomeOf('webhook', status)).toBe('rejected, final');
  for (const status of [400, 401, 404, 411, 422]) expect(outcomeOf('webhook', status)).toBe('rejected');
  for (const status of [408, 425, 500, 503]) expect(outcomeOf('webhook', status)).toBe('server_error');
  expect(outcomeOf('webhook', 429)).toBe('rate_limited');
});

test('email: the SMTP reply code determines the outcome', () => {
  const channel = CHANNELS.get('email');
  const verdict = (status: number, step: MailStep = 'content', text = '') =>
    channel?.transport === 'smtp' ? channel.judge({ status, step, text }) : undefined;
  const operator = { outcome: 'operator_error', isFinal: false, variable: 'SMTP_URL' };
  for (const code of [250, 251]) expect(verdict(code)).toMatchObject({ outcome: 'delivered', isFinal: true, status: code });
  for (const code of [421, 450, 451, 452]) expect(verdict(code)).toMatchObject({ outcome: 'server_error', isFinal: false, status: code });
  for (const code of [500, 530, 534, 535, 538, 550, 554])
    expect(verdict(code)).toMatchObject({ outcome: 'rejected', isFinal: true, status: code });
  for (const step of ['login', 'sender', 'recipient'] as const) {
    for (const code of [530, 534, 535, 538]) expect(verdict(code, step)).toMatchObject(operator);
    for (const code of [421, 454]) expect(verdict(code, step)).toMatchObject({ outcome: 'server_error', isFinal: false });
    for (const code of [550, 553]) expect(verdict(code, step)).toMatchObject({ outcome: 'rejected', isFinal: true });
  }
  for (const code of [421, 450, 501, 504, 554]) expect(verdict(code, 'greeting')).toMatchObject(operator);
});

describe('reply to RCPT', () => {
  const judgeText = (text: string, status = 550) => {
    const channel = CHANNELS.get('email');
    return channel?.transport === 'smtp' ? channel.judge({ status, step: 'recipient', text }).outcome : undefined;
  };
  test.each([
    '<night@example.net>: Relay access denied', // Postfix
    'Unable to relay', // Exchange
    'relay not permitted', // Exim
    '<night@example.net>... Relaying denied. Proper authentication required.', // Sendmail
    "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", // qmail
    'Relaying is not allowed',
    'We do not relay night@example.net',
  ])('email: denied relaying is an operator_error: %s', (text) => {
    expect(judgeText(text)).toBe('operator_error');
    expect(judgeText(text, 450)).toBe('server_error');
  });

  test.each([
    'No such user',
    '<relay@denied.example>: Recipient address rejected: Access denied',
    'relay@example.net not allowed',
    'Client host blocked using relays.example.org',
  ])('email: another RCPT error means rejected: %s', (text) => expect(judgeText(text)).toBe('rejected'));
});

test('Retry-After may be seconds', () => {
  expect(waitOf('1')).toBe(1_000);
  expect(waitOf(' 120 ')).toBe(120_000);
});

test('Retry-After may be a date in any format of RFC 9110', () => {
  const now = Date.parse('1994-11-06T08:49:30Z');
  const dates = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];
  for (const date of dates) expect(judge('slack', 503, { 'retry-after': date }, '', now).retryAfterMs).toBe(7_000);
  expect(waitOf(after(90))).toBe(89_300); // dates have whole seconds, and NOW has 700 ms
});

test.each(['', '0', '-5', '1.5', '1e3', '0x10', '5 s', '١', 'soon', 'tomorrow', 'NaN', '2026-11-22', 'Sat, 40 Nov 2026 12:00:00 GMT'])(
  'Retry-After %j is ignored',
  (value) => expect(waitOf(value)).toBeUndefined(),
);

test('Retry-After in the past is ignored', () => {
  expect(waitOf(after(-1))).toBeUndefined();
  expect(waitOf('Sun, 06 Nov 1994 08:49:37 GMT')).toBeUndefined();
});

test('Retry-After is capped at an hour', () => {
  for (const value of ['3600', '3601', '86400', '9'.repeat(400), after(86_400)]) expect(waitOf(value)).toBe(3_600_000);
});

test('discord: retry_after counts, and Retry-After only without JSON', () => {
  const discord = (header: string | undefined, body: string, status = 429) =>
    judge('discord', status, { 'retry-after': header }, body).retryAfterMs;
  expect(discord('65', '{"message":"You are being rate limited.","retry_after":64.57,"global":false}')).toBe(64_570);
  expect(discord('1', '{"retry_after":64.57}')).toBe(64_570);
  expect(discord(undefined, '{"retry_after":0.0001}')).toBe(1);
  expect(discord('soon', '{"retry_after":86400}')).toBe(3_600_000);
  for (const wait of ['-1', '0', 'null', '"5"', '1e999', '[5]']) expect(discord('65', `{"retry_after":${wait}}`)).toBeUndefined();
  for (const body of ['{"message":"Slow down"}', '{}']) expect(discord('65', body)).toBeUndefined();
  for (const body of ['', '<html>error code: 1015', '{"retry_after":', 'null', '5']) expect(discord('65', body)).toBe(65_000);
  expect(discord('65', '', 503)).toBe(65_000);
});

test('telegram: the longer of retry_after and Retry-After counts', () => {
  const telegram = (body: string, header?: string) => judge('telegram', 429, { 'retry-after': header }, body).retryAfterMs;
  const limited = '{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":35}}';
  expect([telegram(limited), telegram(limited, '30'), telegram(limited, '40')]).toEqual([35_000, 35_000, 40_000]);
  for (const body of ['{"retry_after":35}', '{"parameters":null}', '{"parameters":"35"}']) expect(telegram(body)).toBeUndefined();
});

test('Retry-After of a success is ignored', () => {
  expect(judge('slack', 200, { 'retry-after': '60' }).retryAfterMs).toBeUndefined();
});

test.each(HTTP_TYPES)('%s: the detail has the status and nothing else of the response', (type) => {
  for (const status of [200, 201, 301, 404, 429, 503]) {
    const verdict = judge(type, status, { location: 'https://canary.example', server: 'canary', 'retry-after': 'canary' }, '{"canary":1}');
    expect(verdict.status).toBe(status);
    expect(verdict.detail).toMatch(new RegExp(`^The receiver answered ${status}[^.]*\\.$`));
    expect(verdict.detail).not.toContain('canary');
  }
});

test.each(HTTP_TYPES)('%s: the body is read only for statuses that need it', (type) => {
  const request = requestOf(type);
  const read = [200, 204, 302, 404, 429, 503].filter((status) => request.readsBody(status));
  const some = { telegram: [200, 204, 404, 429], discord: [404, 429], slack: [404, 429, 503], microsoft_teams: [200, 404, 429, 503] };
  const isTwilio = BY_CREATED.includes(type);
  expect(read).toEqual(isTwilio ? [200, 204, 302, 404, 429, 503] : (some[type as keyof typeof some] ?? []));
  const needsBody = (status: number) => request.readsBody(status) && request.needsWholeBody(status);
  expect([200, 201, 404].filter(needsBody)).toEqual(isTwilio ? [200, 404] : type === 'telegram' ? [200, 201] : []);
});

const migrated = (description: string) => `{"ok":false,"description":${description},"parameters":{"migrate_to_chat_id":-10045}}`;

test.each([
  ['telegram', 400, '{"ok":false,"error_code":400,"description":"No chat"}', '"No chat"', undefined],
  ['telegram', 200, '{"ok":false,"description":"Odd"}', '"Odd"', undefined],
  ['telegram', 400, migrated('"Now a supergroup"'), '"Now a supergroup", migrate_to_chat_id -10045', undefined],
  ['telegram', 400, migrated('null'), 'migrate_to_chat_id -10045', undefined],
  ['discord', 404, '{"message":"Unknown Webhook","code":10015}', '"Unknown Webhook"', 10_015],
  ['slack', 404, 'no_service', '"no_service"', undefined],
  ['slack', 500, 'rollup_error\n', '"rollup_error"', undefined],
  ['microsoft_teams', 400, '{"error":{"code":"X","message":"The workflow\\nis disabled."}}', '"The workflow is disabled."', undefined],
  ['twilio', 400, '{"code":21211,"message":"Invalid \'To\'"}', 'error 21211', 21_211],
  ['twilio_call', 401, '{"code":20003,"message":"Authenticate"}', 'error 20003', 20_003],
  ['whatsapp', 429, '{"code":20429}', 'error 20429', 20_429],
])('%s: the detail of a %i quotes the reason', (type, status, body, reason, code) => {
  expect(judge(type, status, {}, body)).toMatchObject({ detail: `The receiver answered ${status}: ${reason}.`, code });
});

test.each([
  '',
  '[]',
  '{"code":"21211"}',
  '{"code":1e99}',
  '{"message":5,"description":null}',
  '{"message":" ","description":"\\n"}',
  '{"error":"x"}',
  '{"error":null}',
  '{"error":{"message":5}}',
  '{"parameters":{"migrate_to_chat_id":"-1"}}',
  'two words',
  '<p>no</p>',
])('no reason is quoted from the body %j', (body) => {
  for (const type of ['telegram', 'discord', 'twilio', 'slack', 'microsoft_teams'])
    expect(judge(type, 404, {}, body)).toMatchObject({ detail: 'The receiver answered 404.', code: undefined });
});

test('errors from Slack and Teams are quoted without addresses and secrets', () => {
  const url = 'https://example.com/T0/B0/aB3x_y9Zq?sig=uV5-w2xYz';
  const detailOf = (type: string, body: string) => httpChannel(type).judge(response(404, {}, body), NOW, { [type]: url }).detail;
  for (const word of ['aB3x_y9Zq', 'no_aB3x_y9Zq', 'evil.example']) expect(detailOf('slack', word)).toBe('The receiver answered 404.');
  expect(detailOf('slack', 'x'.repeat(300))).toBe(`The receiver answered 404: "${'x'.repeat(199)}…".`);
  const message = 'sig=uV5-w2xYz is not valid at https://evil.example or 10.0.0.1';
  expect(detailOf('microsoft_teams', JSON.stringify({ error: { message } }))).toBe(
    'The receiver answered 404: "… is not valid at … or …".',
  );
});

describe('Teams response 200 with an error text', () => {
  const said = (code: number) =>
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${code} with ContextId tcid=0,server=x,cv=y.0..`;
  const judgeText = (text: string, status = 200, headers = {}) => judge('microsoft_teams', status, headers, text);

  test('teams: the error code in a 200 determines the outcome', () => {
    const outcomes = { rejected: [400, 403, 404, 413], rate_limited: [429], server_error: [408, 502] };
    for (const [outcome, codes] of Object.entries(outcomes))
      for (const code of codes) {
        const detail = `The receiver answered 200: HTTP error ${code}.`;
        expect(judgeText(said(code))).toMatchObject({ outcome, isFinal: outcome === 'rejected', status: 200, detail, code });
      }
    expect(judgeText(`"${said(429)}"`, 200, { 'retry-after': '30' })).toMatchObject({ outcome: 'rate_limited', retryAfterMs: 30_000 });
  });

  test.each(['1', '', said(200), said(4290), 'HTTP error 429', 'delivery failed', '{"error":{"message":"no"}}'])(
    'teams: a 200 with %j means delivered',
    (text) => expect(judgeText(text)).toMatchObject({ outcome: 'delivered', isFinal: true, detail: 'The receiver answered 200.' }),
  );

  test('teams: the text of any other status is ignored', () => {
    expect(judgeText(said(429), 202).outcome).toBe('delivered');
    expect(judgeText(said(429), 500).outcome).toBe('server_error');
  });
});

describe('quote()', () => {
  const SECRET = 'https://discord.example.com/api/webhooks/123456/aB3-x_y9Zq?wait=true';

  test.each([
    ['Unknown Webhook', 'Unknown Webhook'],
    ['Bad Request: can\'t parse entities (byte 12), e.g. "b"', 'Bad Request: can\'t parse entities (byte 12), e.g. "b"'],
    [' two\r\n lines\u2028and\tmore\u0000 ', 'two lines and more'],
    ['see https://evil.example/x?y, or //other', 'see … or …'],
    ['lookup api.internal.example failed, (db.local): 10.0.0.1', 'lookup … failed, … …'],
    ['connect ECONNREFUSED 127.0.0.1:80 [::1] fe80::1%eth0 localhost redis:6379', 'connect ECONNREFUSED … … … … …'],
    ['write to root@host or <münchen.example>', 'write to … or …'],
    ['no such hook: aB3-x_y9Zq', 'no such hook: …'],
    ['token=aB3-x_y9Zq; id 123456', '… id …'],
    ['webhooks/123456 of api', '… of api'],
    ['\ud800 lone', 'lone'],
  ])('quote() turns %j into %j', (text, quoted) => expect(quote(text, SECRET)).toBe(`"${quoted}"`));

  test('quote() returns undefined for values without text', () => {
    for (const value of [undefined, null, 5, {}, '', ' \n', '… :', 'https://evil.example']) expect(quote(value, SECRET)).toBeUndefined();
  });

  test('quote() returns at most 200 characters and splits none', () => {
    expect(quote('x'.repeat(300))).toBe(`"${'x'.repeat(199)}…"`);
    expect(quote('é'.repeat(200))).toBe(`"${'é'.repeat(200)}"`);
    expect(quote(`${'💈'.repeat(99)}ab💈`)).toBe(`"${'💈'.repeat(99)}a…"`);
    expect(quote(`${'//x '.repeat(300)}aB3-x_y9Zq`, SECRET)?.length ?? 0).toBeLessThanOrEqual(202);
    const atTheEnd = `${'https://evil.example/'.repeat(47)} ok aB3-x_y9Zq`; // the end of the secret is beyond what is read
    expect(quote(atTheEnd, SECRET)).toBe('"… ok"');
  });
});
