import { Config } from '../../../src/platform/config/config';
import { problemsOf } from '../../support/http/config';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const FROM = 'desk@example.com';
const TWILIO = { TWILIO_ACCOUNT_SID: 'AC0123', TWILIO_AUTH_TOKEN: 'a-token' };

const smtpOf = (url: string, from = FROM) => new Config({ SMTP_URL: url, MAIL_FROM: from }).channels.smtp;
const limitsOf = (limits: string) => Object.fromEntries(new Config({ DELIVERY_DAILY_LIMIT: limits }).deliveries.dailyLimits);

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, isImplicitTls: false }],
  ['smtps://mail_1/', { host: 'mail_1', port: 465, isImplicitTls: true }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, isImplicitTls: false }],
  [
    'smtps://desk%40example.com:p%3Ass%2F@10.0.0.1:25',
    { host: '10.0.0.1', port: 25, isImplicitTls: true, user: 'desk@example.com', password: 'p:ss/' },
  ],
])('parses SMTP_URL %s', (url, parts) => {
  expect(smtpOf(url)).toEqual({ ...parts, from: FROM, ehloName: 'example.com' });
});

test.each(['off', 'on', 'insecure'])('SMTP_URL accepts tls=%s', (tls) => {
  expect(smtpOf(`smtp://h?tls=${tls}`)).toMatchObject({ host: 'h', tls });
  expect(smtpOf(`smtp://u:p@127.0.0.1:25/?tls=${tls}`)).toMatchObject({ port: 25, user: 'u', tls });
});

test('rejects tls=off with smtps://, and with a password unless the host is local', () => {
  const problemOf = (url: string) => problemsOf({ SMTP_URL: url, MAIL_FROM: FROM });
  expect(problemOf('smtps://canary?tls=off')).toEqual(['SMTP_URL must begin with smtp:// to use tls=off.']);
  const problem = 'SMTP_URL must not have tls=off with a password, which is sent over TLS or to this machine only.';
  for (const host of ['mail.example.com', '10.0.0.1']) expect(problemOf(`smtp://canary:canary@${host}?tls=off`)).toEqual([problem]);
  for (const host of ['localhost', '[::1]']) expect(problemOf(`smtp://u:p@${host}?tls=off`)).toEqual([]);
});

test.each([
  [{ SMTP_EHLO_NAME: 'relay.example.net', PUBLIC_URL: 'https://desk.example.com' }, 'relay.example.net'],
  [{ SMTP_EHLO_NAME: '[192.0.2.1]' }, '[192.0.2.1]'],
  [{ PUBLIC_URL: 'https://desk.example.com:8443/alerts' }, 'desk.example.com'],
  ...['http://localhost:3000', 'http://desk.localhost', 'http://desk.local', 'http://desk', 'http://10.0.0.1', 'http://[::1]'].map(
    (PUBLIC_URL): [Record<string, string>, string] => [{ PUBLIC_URL }, 'xn--exmple-cua.com'],
  ),
  [{}, 'xn--exmple-cua.com'],
])('with %j, the EHLO name is %s', (env, name) => {
  expect(new Config({ SMTP_URL: 'smtp://h', MAIL_FROM: 'Desk <desk@exämple.com>', ...env }).channels.smtp?.ehloName).toBe(name);
});

test.each([
  'desk@localhost',
  'Front desk <desk@example.com>',
  '"Desk, front; @" <desk@exämple.com>',
  'João <desk+1@a.example>',
  '<d@e.example>',
])('MAIL_FROM accepts %s', (from) => expect(smtpOf('smtp://h', from)?.from).toBe(from));

test('TELEGRAM_API_URL and TWILIO_API_URL lose trailing slashes', () => {
  const { channels } = new Config({ TELEGRAM_API_URL: 'http://127.0.0.1:8081/', TWILIO_API_URL: 'https://proxy.example.com/twilio//' });
  expect(channels).toEqual({
    telegramApiUrl: 'http://127.0.0.1:8081',
    twilioApiUrl: 'https://proxy.example.com/twilio',
    twilioCallLanguage: 'en-US',
  });
});

test('reads the TWILIO_ variables', () => {
  const [from, messagingServiceSid, whatsappFrom, whatsappContentSid] = ['+15005550006', 'MG1', 'whatsapp:+14155238886', 'HX1'];
  const senders = {
    TWILIO_FROM: from,
    TWILIO_MESSAGING_SERVICE_SID: messagingServiceSid,
    TWILIO_WHATSAPP_FROM: whatsappFrom,
    TWILIO_WHATSAPP_CONTENT_SID: whatsappContentSid,
  };
  const account = { sid: 'AC0123', token: 'a-token', whatsappMax: 900 };
  const sent = { from, messagingServiceSid, whatsappFrom, whatsappContentSid };
  expect(new Config({ ...TWILIO, ...senders }).channels.twilio).toEqual({ ...account, ...sent });
  expect(new Config(TWILIO).channels.twilio).toEqual(account);
});

test.each([
  [{ SMTP_URL: 'smtp://canary' }, 'MAIL_FROM must be set to use SMTP_URL.'],
  [{ MAIL_FROM: 'canary@example.com' }, 'SMTP_URL must be set to use MAIL_FROM.'],
  [{ SMTP_EHLO_NAME: 'canary' }, 'SMTP_URL and MAIL_FROM must be set to use SMTP_EHLO_NAME.'],
  [{ TWILIO_ACCOUNT_SID: 'canary' }, 'TWILIO_AUTH_TOKEN must be set to use TWILIO_ACCOUNT_SID.'],
  [{ TWILIO_AUTH_TOKEN: 'canary' }, 'TWILIO_ACCOUNT_SID must be set to use TWILIO_AUTH_TOKEN.'],
  ...['TWILIO_FROM', 'TWILIO_MESSAGING_SERVICE_SID', 'TWILIO_WHATSAPP_FROM', 'TWILIO_WHATSAPP_CONTENT_SID'].flatMap((name) => [
    [{ [name]: 'canary' }, `TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN must be set to use ${name}.`] as const,
    [{ [name]: 'canary', TWILIO_ACCOUNT_SID: 'canary' }, `TWILIO_AUTH_TOKEN must be set to use TWILIO_ACCOUNT_SID, ${name}.`] as const,
  ]),
] as const)('rejects an incomplete set of variables: %j', (env, problem) => expect(problemsOf(env)).toEqual([problem]));

test('TWILIO_STATUS=on requests status callbacks at PUBLIC_URL', () => {
  const callbackOf = (env: Record<string, string>) => new Config({ ...TWILIO, ...env }).channels.twilio?.statusCallback;
  expect(callbackOf({ TWILIO_STATUS: 'on', PUBLIC_URL: 'https://desk.example.com/' })).toBe('https://desk.example.com/callbacks/twilio');
  expect(callbackOf({ TWILIO_STATUS: 'on', PUBLIC_URL: 'https://example.com:8443/desk' })).toBe(
    'https://example.com:8443/desk/callbacks/twilio',
  );
  for (const TWILIO_STATUS of ['off', '']) expect(callbackOf({ TWILIO_STATUS, PUBLIC_URL: 'https://desk.example.com' })).toBeUndefined();
});

test('pressed keys are posted to an https PUBLIC_URL, regardless of TWILIO_STATUS', () => {
  const callbackOf = (env: Record<string, string>) => new Config({ ...TWILIO, ...env }).channels.twilio?.keyCallback;
  expect(callbackOf({ PUBLIC_URL: 'https://example.com:8443/desk' })).toBe('https://example.com:8443/desk/callbacks/twilio');
  for (const PUBLIC_URL of ['http://desk.example.com', '']) expect(callbackOf({ PUBLIC_URL })).toBeUndefined();
});

test('TWILIO_STATUS requires an https PUBLIC_URL and the account', () => {
  const problem = 'PUBLIC_URL must begin with https:// to use TWILIO_STATUS: Twilio posts status callbacks to it.';
  const PUBLIC_URL = 'https://desk.example.com';
  expect(problemsOf({ ...TWILIO, TWILIO_STATUS: 'on' })).toEqual([problem]);
  expect(problemsOf({ ...TWILIO, TWILIO_STATUS: 'on', PUBLIC_URL: 'http://desk.example.com' })).toEqual([problem]);
  expect(problemsOf({ ...TWILIO, TWILIO_STATUS: 'on', PUBLIC_URL: 'x' })).toEqual(['PUBLIC_URL must be an http(s) URL.']);
  expect(problemsOf({ ...TWILIO, TWILIO_STATUS: 'yes', PUBLIC_URL })).toEqual(['TWILIO_STATUS must be one of on, off.']);
  expect(problemsOf({ TWILIO_STATUS: 'on', PUBLIC_URL })).toEqual([
    'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN must be set to use TWILIO_STATUS.',
  ]);
  expect(problemsOf({ TWILIO_STATUS: 'off' })).toEqual([]);
});

test('reads the DELIVERY_ variables', () => {
  const { deliveries } = new Config({ DELIVERY_WAITS: '0, 1,30', DELIVERY_CONCURRENCY: '0', DELIVERY_KEEP_DAYS: '1' });
  expect(deliveries).toMatchObject({ waitsMs: [0, 1_000, 30_000], concurrency: 0, keepDays: 1 });
  expect(new Config({ DELIVERY_WAITS: Array(20).fill('1').join(',') }).deliveries.waitsMs).toHaveLength(20);
  expect(limitsOf('email=0, webhook=5,twilio_call=1')).toEqual({ email: 0, webhook: 5, twilio_call: 1 });
});

test.each([
  ['SMTP_URL', ['http://h', 'smtp:', 'smtp://', 'smtp:h', 'smtp://h/x', 'smtp://h?x=1', 'smtp://h#x', 'smtp://h:0', 'smtp://h:65536']],
  ['SMTP_URL', ['smtp://u@h', 'smtp://:p@h', 'smtp://u:@h', 'smtp://u:%zz@h', 'smtp://u:p@', 'smtp://a,b', 'smtp://ä.example']],
  ['SMTP_URL', ['smtp://h\\x', 'smtp://h?tls=', 'smtp://h?tls=yes', 'smtp://h?tls=on&tls=off', 'smtp://h?TLS=on', 'smtp://h?']],
  ['MAIL_FROM', ['a\n<a@b>', '@example.com', 'desk@', 'a@b@c', 'a@b, c@d', 'Desk, front <a@b>', 'Desk <a@b', 'Desk a@b', '"x" "y" <a@b>']],
  ['SMTP_EHLO_NAME', ['a b', 'a@b', 'ä.example', '.example', 'a..b', '[a b]', 'a\nb', '[192.0.2.1']],
  ['TELEGRAM_API_URL', ['x', 'ftp://h', 'https://h/?x', 'https://u:p@h']],
  ['TWILIO_API_URL', ['x', 'ftp://h', 'https://h/#x', 'https://u:p@h']],
  ['TWILIO_ACCOUNT_SID', ['AC/..', 'A C', 'AC:1', 'AC?']],
  ['TWILIO_AUTH_TOKEN', ['a token']],
  ['DELIVERY_WAITS', ['x', '1,', ',', '-1', '1.5', '1;2', '1e3', '2592001', Array(21).fill('1').join(',')]],
  ['DELIVERY_CONCURRENCY', ['-1', '1001', 'x', '1.5']],
  ['DELIVERY_KEEP_DAYS', ['0', '-1', 'x', '36501']],
  ['DELIVERY_DAILY_LIMIT', ['email', 'email=', 'email=x', 'email=-1', 'email=1.5', 'email=1,', 'email=1000000001', 'email=1,email=2']],
  ['DELIVERY_DAILY_LIMIT', ['Email=1', 'constructor=1', 'email = 1', 'email:1']],
])('%s rejects %j', (name, values) => {
  for (const value of values) {
    const problems = problemsOf({ SMTP_URL: 'smtp://h', MAIL_FROM: FROM, ...TWILIO, [name]: value });
    expect([value, problems.length]).toEqual([value, 1]);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
  }
});

test('the error for DELIVERY_DAILY_LIMIT lists the types', () => {
  const [problem] = problemsOf({ DELIVERY_DAILY_LIMIT: 'canary=1' });
  expect(problem).toMatch(/types: email, webhook, slack, discord, telegram, microsoft_teams, twilio, twilio_call, whatsapp\.$/);
});

test('configuration errors never contain values', () => {
  const names = ['TELEGRAM_API_URL', 'TWILIO_API_URL', 'TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'DELIVERY_WAITS', 'DELIVERY_DAILY_LIMIT'];
  const wrong = Object.fromEntries([...names, 'DELIVERY_CONCURRENCY', 'DELIVERY_KEEP_DAYS', 'MAIL_FROM'].map((name) => [name, 'a canary']));
  const problems = problemsOf({ ...wrong, SMTP_URL: 'smtp://user:canary@h/canary', TWILIO_FROM: 'canary' });
  expect(problems).toHaveLength(10);
  expect(problems.join()).not.toContain('canary');
});

describe('_FILE variables', () => {
  const { path, file } = useTemporaryFolder();

  test('a _FILE variable is read like the variable', () => {
    const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN } = TWILIO;
    const inFiles = { SMTP_URL_FILE: file('smtp', 'smtp://u:p@h\n'), TWILIO_AUTH_TOKEN_FILE: file('token', `${TWILIO_AUTH_TOKEN}\n`) };
    const expected = new Config({ SMTP_URL: 'smtp://u:p@h', MAIL_FROM: FROM, ...TWILIO });
    expect(new Config({ ...inFiles, MAIL_FROM: FROM, TWILIO_ACCOUNT_SID })).toEqual(expected);
  });

  test.each([
    ['SMTP_URL', 'MAIL_FROM', FROM],
    ['TWILIO_AUTH_TOKEN', 'TWILIO_ACCOUNT_SID', 'AC0123'],
  ])('%s_FILE counts as set for %s, even if it cannot be read', (name, partner, value) => {
    const variable = `${name}_FILE`;
    const other = { [partner]: value };
    expect(problemsOf({ ...other, [variable]: path('none') })).toEqual([`${variable} names a file that can't be read (ENOENT).`]);
    expect(problemsOf({ ...other, [variable]: file('wrong', 'a canary') })).toEqual([
      expect.stringMatching(new RegExp(`^${name}, read from ${variable}, must be (?!.*canary)`)),
    ]);
    expect(problemsOf({ [variable]: file('wrong', 'smtp://h') })).toEqual([expect.stringMatching(/ must be set to use /)]);
  });
});
