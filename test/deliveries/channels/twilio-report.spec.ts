import fc from 'fast-check';
import { isMoreAdvanced, hasValidSignature, parseReport, parseSid } from '../../../src/deliveries/channels/twilio-report';

const URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const TOKEN = '12345';
const FIELDS = { CallSid: 'CA1234567890ABCDE', Digits: '1234', To: '+18005551212' };
const formOf = (number: string) => ({ ...FIELDS, Caller: number, From: number });

describe('hasValidSignature()', () => {
  const signed = (signature: string, { url = URL, token = TOKEN, form = formOf('+14158675310') } = {}) =>
    hasValidSignature(form, { url, token, signature });
  const DOCUMENTED = 'GvWf1cFY/Q7PnoempGyD5oXAezc=';

  test.each([
    ['of TwilioDevEd/api-snippets, signature_validation', '+14158675310', DOCUMENTED],
    ['of the tests of Twilio’s libraries', '+14158675309', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    ['of https://www.twilio.com/docs/usage/security', '+12349013030', '0/KCTR6DLpKmkAf8muzZqo1nDgQ='],
  ])('hasValidSignature() accepts the example %s', (_, number, signature) =>
    expect(signed(signature, { form: formOf(number) })).toBe(true),
  );

  test('hasValidSignature() ignores the order of the fields', () => {
    const form = Object.fromEntries(Object.entries(formOf('+14158675310')).reverse()) as ReturnType<typeof formOf>;
    expect(signed(DOCUMENTED, { form })).toBe(true);
  });

  test('hasValidSignature() rejects another URL, token or form', () => {
    expect(signed(DOCUMENTED, { url: 'https://mycompany.com/myapp.php' })).toBe(false);
    expect(signed(DOCUMENTED, { url: `${URL}&x=1` })).toBe(false);
    expect(signed(DOCUMENTED, { url: URL.replace('https', 'http') })).toBe(false);
    expect(signed(DOCUMENTED, { token: '12346' })).toBe(false);
    expect(signed(DOCUMENTED, { form: formOf('+14158675311') })).toBe(false);
    for (const signature of ['', DOCUMENTED.slice(0, -1), `${DOCUMENTED} `, DOCUMENTED.toLowerCase(), 'ä'.repeat(28), 'ä'.repeat(14)])
      expect([signature, signed(signature)]).toEqual([signature, false]);
  });

  test('hasValidSignature() accepts the URL with or without its port', () => {
    expect(signed(DOCUMENTED, { url: 'https://mycompany.com:8443/myapp.php?foo=1&bar=2' })).toBe(true);
    const withPort = 'kvajT1Ptam85bY51eRf/AJRuM3w='; // from the tests of Twilio’s libraries: the URL with port 443
    expect(signed(withPort, { form: formOf('+14158675309') })).toBe(true);
    expect(signed(withPort, { url: 'https://mycompany.com:1234/myapp.php?foo=1&bar=2', form: formOf('+14158675309') })).toBe(false);
  });

  test('hasValidSignature() sorts and deduplicates the values of a repeated field', () => {
    // From the tests of Twilio’s libraries
    const form = { Sid: 'CA123', SidAccount: 'AC123', Digits: ['5678', '1234', '1234'] };
    expect(hasValidSignature(form, { url: URL, token: TOKEN, signature: 'IK+Dwps556ElfBT0I3Rgjkr1wJU=' })).toBe(true);
  });
});

describe('isFurther()', () => {
  const MESSAGE = ['queued', 'sending', 'sent', 'delivered', 'read'];
  const CALL = ['queued', 'ringing', 'in-progress', 'completed'];
  const furthest = (statuses: readonly string[]) => statuses.reduce((shown, status) => (isMoreAdvanced(status, shown) ? status : shown));

  test.each([[MESSAGE], [CALL], [[...MESSAGE.slice(0, 3), 'undelivered']], [[...CALL.slice(0, 2), 'no-answer']]])(
    'the furthest of %j is the last, in any order and with repeats',
    (statuses) => {
      const heard = fc.shuffledSubarray([...statuses, ...statuses], { minLength: statuses.length });
      fc.assert(
        fc.property(heard, (order) => {
          const last = statuses.findLast((status) => order.includes(status));
          expect(furthest(order)).toBe(last);
        }),
      );
    },
  );

  test.each([
    ['delivered', 'undelivered', 'failed'],
    ['completed', 'busy', 'no-answer', 'failed', 'canceled'],
  ])('the first final status is kept: %j', (...statuses) => {
    for (const first of statuses) for (const other of statuses) expect(isMoreAdvanced(other, first)).toBe(false);
  });

  test('the status read may follow delivered, but no other final status', () => {
    expect(['delivered', 'undelivered', 'failed'].map((status) => isMoreAdvanced('read', status))).toEqual([true, false, false]);
  });
});

describe('parseReport()', () => {
  const numbers = { To: '+14155550100', From: '+15005550006' };

  test.each<[form: object, report: Partial<ReturnType<typeof parseReport>>]>([
    [
      { MessageSid: 'SM1', MessageStatus: 'sent' },
      { type: 'twilio', status: 'sent' },
    ],
    [
      { SmsSid: 'SM1', SmsStatus: 'failed', ErrorCode: '30003' },
      { type: 'twilio', status: 'failed', code: 30003 },
    ],
    [
      { MessageSid: 'SM1', MessageStatus: 'read', To: 'whatsapp:+1' },
      { type: 'whatsapp', status: 'read' },
    ],
    [
      { CallSid: 'SM1', CallStatus: 'no-answer', ErrorCode: '' },
      { type: 'twilio_call', status: 'no-answer' },
    ],
  ])('parseReport() parses %j', (form, report) =>
    expect(parseReport({ ...numbers, ...form })).toEqual({ sid: 'SM1', code: null, ...report }),
  );

  test.each([
    {},
    { MessageSid: 'SM1' },
    { MessageStatus: 'sent' },
    { MessageSid: 'SM1', MessageStatus: 'accepted' },
    { MessageSid: 'SM1', MessageStatus: 'ringing' },
    { MessageSid: 'SM1', MessageStatus: 'Sent' },
    { MessageSid: 'SM1', MessageStatus: ['sent', 'sent'] },
    { MessageSid: 'SM 1', MessageStatus: 'sent' },
    { MessageSid: 'S'.repeat(65), MessageStatus: 'sent' },
    { MessageSid: 'SM1', MessageStatus: 'constructor' },
    { CallSid: 'CA1', CallStatus: 'initiated' },
    { CallSid: 'CA1', CallStatus: 'delivered' },
    { CallSid: 'CA1', MessageStatus: 'delivered' },
  ])('parseReport() returns undefined for %j', (form) => expect(parseReport(form)).toBeUndefined());

  test('parseReport() ignores an ErrorCode that is not a number', () => {
    for (const ErrorCode of ['x', '-1', '1e3', '9'.repeat(10), ['1', '2']])
      expect(parseReport({ MessageSid: 'SM1', MessageStatus: 'failed', ErrorCode })).toMatchObject({ code: null });
  });

  test('parseSid() accepts up to 64 letters, digits, _ and -', () => {
    for (const sid of [undefined, 1, null, {}, '', 'a b', 'ä', 'a'.repeat(65)]) expect(parseSid(sid)).toBeUndefined();
    for (const sid of [`SM${'0'.repeat(32)}`, '6f2a9c1e-0000-4000-8000-000000000000']) expect(parseSid(sid)).toBe(sid);
  });
});
