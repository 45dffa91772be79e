import { CheckLimits } from '../../../src/domains/verification/check-worker';
import { registrableDomain } from '../../../src/domains/verification/dns/registrable-domain';

let limits: CheckLimits;
let domains: number;
beforeEach(() => {
  [limits, domains] = [new CheckLimits(), 0];
});

const newDomain = () => `shop-${++domains}.example`;
const take = (count: number, accountOf: (index: number) => number, domainOf: (index: number) => string, now: number) =>
  Array.from({ length: count }, (_, index) => limits.tryTake(accountOf(index), domainOf(index), now)).filter(Boolean).length;

test('at most 32 checks run at once', () => {
  expect(take(40, (index) => index, newDomain, 0)).toBe(32);
  expect(take(1, () => 99, newDomain, 5_000)).toBe(0);
  limits.release(3);
  expect(take(2, () => 99, newDomain, 5_000)).toBe(1);
});

test('at most 8 checks per account run at once', () => {
  expect(take(20, () => 1, newDomain, 0)).toBe(8);
  expect(take(1, () => 2, newDomain, 0)).toBe(1);
  limits.release(1);
  expect(take(2, () => 1, newDomain, 0)).toBe(1);
});

test('at most 50 checks start within a second', () => {
  const startAll = (now: number) => {
    let started = 0;
    while (limits.tryTake(started, newDomain(), now)) limits.release(started++);
    return started;
  };
  expect(startAll(10)).toBe(50);
  expect(startAll(1_009)).toBe(0);
  expect(limits.capacity(1_009)).toBe(0);
  expect(limits.capacity(1_010)).toBe(32);
  expect(startAll(1_010)).toBe(50);
});

test('at most 5 checks per registrable domain start within a second', () => {
  const always = (domain: string) => () => domain;
  expect(take(8, (index) => index, always('example.co.uk'), 0)).toBe(5);
  expect(take(8, (index) => index, always('other.co.uk'), 0)).toBe(5);
  expect(take(8, (index) => index, always('example.co.uk'), 999)).toBe(0);
  expect(take(8, (index) => index, always('example.co.uk'), 1_000)).toBe(5);
});

test.each([
  ['www.example.com', 'example.com'],
  ['a.b.example.co.uk', 'example.co.uk'],
  ['a.user.github.io', 'user.github.io'],
  ['github.io', 'github.io'],
  ['co.uk', 'co.uk'],
  ['a.b.intern', 'b.intern'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
])('the registrable domain of %s is %s', (host, domain) => expect(registrableDomain(host)).resolves.toBe(domain));
