import { txtProblem, targetProblems } from '../../../src/domains/verification/dns/problems';
import { base32 } from '../../../src/domains/verification/verification-tokens';

const NAME = '_frontdesk.www.example.com';
const EXPECTED = 'frontdesk=abcdefghijklmnopqrstuvwxyz234567';
const EDGE = { name: 'edge.example.net' };

test.each([
  [[], 'txt_missing', `Set a TXT record at ${NAME} with the value in records; there is none.`],
  [['frontdesk=x'], 'txt_differs', '; 1 other value was found.'],
  [['v=spf1', 'a secret'], 'txt_differs', '; 2 other values were found.'],
  [[EXPECTED.toUpperCase()], 'txt_differs', '1 other value was found. One is right except for its case: all letters must be lower-case.'],
  [[`"${EXPECTED}"`, 'another'], 'txt_differs', '2 other values were found. One is right except for the quotes around it: remove them.'],
  [[`“${EXPECTED}”`], 'txt_differs', 'One is right except for the quotes around it: remove them.'],
  [
    [`'${EXPECTED.toUpperCase()} '`],
    'txt_differs',
    'except for its case and the quotes around it: all letters must be lower-case, without quotes.',
  ],
])('the TXT values %j are reported as %s', (values, code, end) => {
  const problem = txtProblem(NAME, EXPECTED, values);
  expect(problem.code).toBe(code);
  expect(problem.detail.endsWith(end)).toBe(true);
  for (const value of [...values, EXPECTED]) expect(problem.detail).not.toContain(value);
});

describe('problemsOfTarget()', () => {
  const detailOf = (names: string[], addresses: string[], isOwner = true, target: Parameters<typeof targetProblems>[1] = EDGE) =>
    targetProblems('www.example.com', target, { names, addresses }, isOwner)[0].detail;

  test('problemsOfTarget() shows CNAMEs only to the owner', () => {
    const names = ['a.example.org', 'b.example.org'];
    const address = '93.184.216.34';
    const set = 'Set a CNAME record at www.example.com with the value edge.example.net; www.example.com points elsewhere';
    expect(detailOf(names, [address])).toBe(`${set}: by CNAME to b.example.org, ${address}.`);
    expect(detailOf(names, [address], false)).toBe(`${set}: ${address}.`);
    expect(detailOf(names, [], false)).toBe(`${set}.`);
  });

  test('problemsOfTarget() hides private addresses', () => {
    const detail = detailOf([], ['10.1.2.3', '::1', '93.184.216.34', '169.254.169.254']);
    expect(detail).toMatch(/points elsewhere: 93\.184\.216\.34, 3 more\.$/);
    expect(detailOf([], ['10.1.2.3', 'fd00::1'])).toMatch(/points elsewhere: 2 that can’t be shown\.$/);
  });

  test('problemsOfTarget() shows at most eight addresses, and no invalid names', () => {
    const addresses = Array.from({ length: 20 }, (_, index) => `93.184.216.${index + 1}`);
    expect(detailOf([], addresses)).toMatch(/93\.184\.216\.8, 12 more\.$/);
    expect(detailOf(['<script>.example.org'], [])).toMatch(/by CNAME to an invalid host name\.$/);
  });

  test('problemsOfTarget() names A and AAAA records when the target is addresses', () => {
    expect(detailOf([], ['93.184.216.34'], true, { addresses: ['203.0.113.1'] })).toBe(
      'Set the A and AAAA records at www.example.com that are listed in records; www.example.com points elsewhere: 93.184.216.34.',
    );
  });
});

test.each([
  ['', ''],
  ['f', 'm'],
  ['fo', 'mzx'],
  ['foobar', 'mzxw6ytbo'],
])('base32 of %j matches RFC 4648', (text, expected) => expect(base32(Buffer.from(text)).slice(0, 9)).toBe(expected));
