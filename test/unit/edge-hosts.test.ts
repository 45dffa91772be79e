import type { LiveDomain } from '../../src/domains/changes/live-domains';
import { LiveHosts, MAX_AGE_MS, MAX_AGE_OF_NO_MS, UNAVAILABLE, UNKNOWN } from '../../src/edge/live-hosts';

let now: number;
let hosts: LiveHosts;

beforeEach(() => {
  now = 1_000;
  hosts = new LiveHosts({ now: () => 0, monotonic: () => now });
});

const A = 'a.example.com';
const B = 'b.example.com';
const domain = (host: string, indexUrl = 'https://example.com/'): LiveDomain => ({ host, indexUrl, notFoundUrl: indexUrl });
const redirect = (host: string) => hosts.find(host, false);
const ask = (host: string) => hosts.find(host, true);
const change = (host: string, changed?: LiveDomain) => hosts.apply([{ host, domain: changed }]);
const add = (host: string, isLast: boolean) => hosts.add([domain(host)], isLast);

function load(...live: string[]): void {
  hosts.reset();
  hosts.add(
    live.map((host) => domain(host)),
    true,
  );
  hosts.noteSync();
}

test('hosts are found once all are loaded', () => {
  hosts.reset();
  add(A, false);
  hosts.noteSync();
  expect([redirect(A), ask(A), redirect(B), ask(B)]).toEqual(Array(4).fill(UNAVAILABLE));
  add(B, true);
  expect([redirect(A), ask(B), redirect('c.example.com'), ask('c.example.com')]).toEqual([
    'https://example.com/',
    'https://example.com/',
    UNKNOWN,
    UNKNOWN,
  ]);
  expect(hosts.size).toBe(2);
});

test('a change shows, whichever it is', () => {
  load(A);
  change(A, domain(A, 'https://example.org/'));
  expect(redirect(A)).toBe('https://example.org/');
  change(A);
  expect([redirect(A), ask(A)]).toEqual([UNKNOWN, UNKNOWN]);
  change(A, domain(A));
  expect(redirect(A)).toBe('https://example.com/');
});

test('without news for ten seconds, no proxy is told that a host is not there', () => {
  load(A);
  now += MAX_AGE_OF_NO_MS - 1;
  expect([ask(A), ask(B)]).toEqual(['https://example.com/', UNKNOWN]);
  now += 1;
  expect([ask(A), ask(B), redirect(B)]).toEqual(['https://example.com/', UNAVAILABLE, UNKNOWN]);
  hosts.noteSync();
  expect(ask(B)).toBe(UNKNOWN);
});

test('without news for an hour, nothing is known', () => {
  load(A);
  now += MAX_AGE_MS - 1;
  expect([redirect(A), redirect(B)]).toEqual(['https://example.com/', UNKNOWN]);
  now += 1;
  expect([redirect(A), ask(A), redirect(B), ask(B)]).toEqual(Array(4).fill(UNAVAILABLE));
  hosts.noteSync();
  expect(redirect(A)).toBe('https://example.com/');
});

test('when hosts are loaded anew, the old ones serve until all are there', () => {
  load(A);
  hosts.reset();
  add(B, false);
  change(A, domain(A, 'https://example.org/'));
  expect([redirect(A), redirect(B)]).toEqual(['https://example.org/', UNKNOWN]);
  hosts.reset(); // once more, before the end
  expect(redirect(A)).toBe('https://example.org/');
  add(B, true);
  expect([redirect(A), redirect(B)]).toEqual([UNKNOWN, 'https://example.com/']);
});

test('a change while hosts are loaded anew shows in those, too', () => {
  load(A);
  hosts.reset();
  add(A, false);
  change(A);
  change(B, domain(B, 'https://example.org/'));
  hosts.add([], true);
  expect([redirect(A), redirect(B)]).toEqual([UNKNOWN, 'https://example.org/']);
});

test('old hosts that are too old do not serve, though new ones are on their way', () => {
  load(A);
  now += MAX_AGE_MS;
  hosts.reset();
  add(B, false);
  hosts.noteSync();
  expect([redirect(A), redirect(B), ask(A)]).toEqual(Array(3).fill(UNAVAILABLE));
  add(A, true);
  expect([redirect(A), redirect(B)]).toEqual(Array(2).fill('https://example.com/'));
});

test.each(['127.0.0.1', 'localhost', '', '-a.example.com', `${'a'.repeat(64)}.example.com`, 'a..example.com', '.example.com'])(
  'there is never a host %j',
  (host) => {
    load();
    now += MAX_AGE_OF_NO_MS;
    expect(ask(host)).toBe(UNKNOWN);
  },
);
