import { FLAG, HOST, HTTP_URL, isWithin, oneOf, orEmpty, POSITIVE_INTEGER, text } from '../../../src/platform/common/field-types';
import { CHANNEL_SETTINGS } from '../../../src/notification-handlers/channel-settings';

test('FLAG accepts true and 1, false and 0, and nothing else', () => {
  expect(['1', 'true', 'True', 'TRUE'].map((word) => FLAG.parse(word))).toEqual([true, true, true, true]);
  expect(['0', 'false', 'False', 'FALSE'].map((word) => FLAG.parse(word))).toEqual([false, false, false, false]);
  for (const word of ['', 't', 'yes', 'Sim', 'fal\u017fe', '00', ' 1', '1\n']) expect(FLAG.parse(word)).toBeUndefined();
});

test('POSITIVE_INTEGER accepts any number of digits', () => {
  expect(['1', '25', '007'].map((digits) => POSITIVE_INTEGER.parse(digits))).toEqual([1, 25, 7]);
  expect(POSITIVE_INTEGER.parse('9'.repeat(400))).toBe(Number.MAX_SAFE_INTEGER);
  for (const word of ['', '0', '000', '-1', '1.0', '1e3', '1\n', '١']) expect(POSITIVE_INTEGER.parse(word)).toBeUndefined();
});

test('text() counts code points and rejects control characters', () => {
  expect(isWithin('💈'.repeat(128), 128)).toBe(true);
  expect(isWithin('💈'.repeat(128) + 'x', 128)).toBe(false);
  expect(isWithin('x'.repeat(257), 128)).toBe(false);
  for (const value of ['', 'a\u0000', '\n', 'a\u0085b']) expect(text(128, 'x').parse(value)).toBeUndefined();
});

test('oneOf() requires an exact match', () => {
  const kind = oneOf([10, 25], 10);
  expect(kind.parse('25')).toBe(25);
  for (const word of ['', '025', '25.0', '2', ' 25']) expect(kind.parse(word)).toBeUndefined();
});

test('orEmpty() also accepts the empty string', () => {
  expect(orEmpty(HTTP_URL).parse('')).toBe('');
  expect(orEmpty(HTTP_URL).parse('x')).toBeUndefined();
});

test('HTTP_URL keeps a URL unchanged, and rejects credentials, backslashes and spaces', () => {
  for (const url of ['https://example.com/@user', 'https://example.com?to=a@b.example', 'HTTP://example.com#@', 'https://exämple.com/ü']) {
    expect(HTTP_URL.parse(url)).toBe(url);
  }
  for (const url of [
    'https://a@b',
    'https://a:b@c',
    'https:\\\\a',
    'https://a\\@b',
    'https://a b',
    'https://a\tb',
    'https://',
    'http://?',
    'https://xn--a.example.com',
  ]) {
    expect(HTTP_URL.parse(url)).toBeUndefined();
  }
});

test('HOST rejects a host that normalizes to an IP address', () => {
  for (const host of ['0x7f.1', '０x7f.1', '1.1', '0177.0.0.1', '127.0.0.1.', '1。2。3。4']) expect(HOST.parse(host)).toBeUndefined();
  expect(HOST.parse('例え。テスト')).toBe('xn--r8jz45g.xn--zckzah');
});

test('HOST rejects a label with xn-- that does not decode', () => {
  for (const host of ['xn--a.example.com', 'a.xn--a', 'xn--0.pt', 'XN--A.example.com']) expect(HOST.parse(host)).toBeUndefined();
  for (const host of ['xn--bcher-kva.example', 'xn--fa-hia.de', 'a--b.example']) expect(HOST.parse(host)).toBe(host);
});

test('HOST accepts at most 253 characters after conversion', () => {
  const label = 'a'.repeat(63);
  const base = `${label}.${label}.${label}.`;
  expect(HOST.parse(`${base}${'b'.repeat(61)}`)).toHaveLength(253);
  expect(HOST.parse(`${base}${'b'.repeat(61)}.`)).toHaveLength(253);
  expect(HOST.parse(`${base}${'b'.repeat(62)}`)).toBeUndefined();
  expect(HOST.parse(`${base}${'ü'.repeat(55)}`)).toHaveLength(253);
  expect(HOST.parse(`${base}${'ü'.repeat(56)}`)).toBeUndefined();
});

test.each([
  ['+55 (11) 98765-4321', '+5511987654321'],
  ['+14155552671', '+14155552671'],
  ['+44 20 7946 0958', '+442079460958'],
  ['+1.415.555.2671', '+14155552671'],
  ['+521 55 1234 5678', '+525512345678'], // Mexico dropped the 1 before mobile numbers in 2019
  ['+52 1 (55) 1234-5678', '+525512345678'],
  ['+52 55 1234 5678', '+525512345678'],
  ['+54 9 11 2345-6789', '+5491123456789'],
])('the phone number %s is stored as %s', (given, stored) => {
  expect(CHANNEL_SETTINGS.whatsapp.whatsapp.fieldType.parse(given)).toBe(stored);
});

test.each([
  '4155552671',
  '0014155552671',
  '+',
  '+1',
  '+1 415',
  '+0 415 555 2671',
  '++14155552671',
  '+1415555267a',
  '+' + '9'.repeat(20),
  '+1 415 555 2671 x5',
])('rejects the phone number %s', (given) => {
  expect(CHANNEL_SETTINGS.whatsapp.whatsapp.fieldType.parse(given)).toBeUndefined();
});
