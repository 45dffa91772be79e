import type { LiveDomain } from '../../src/domains/domain-changes';
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
const find = (host: string) => hosts.find(host);
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
  expect([find(A), find(B)]).toEqual([UNAVAILABLE, UNAVAILABLE]);
  add(B, true);
  expect([find(A), find(B), find('c.example.com')]).toEqual(['https://example.com/', 'https://example.com/', UNKNOWN]);
  expect(hosts.size).toBe(2);
});

test('a change shows, whichever it is', () => {
  load(A);
  change(A, domain(A, 'https://example.org/'));
  expect(find(A)).toBe('https://example.org/');
  change(A);
  expect(find(A)).toBe(UNKNOWN);
  change(A, domain(A));
  expect(find(A)).toBe('https://example.com/');
});

test('without news for ten seconds, nobody is told that a host is not there', () => {
  load(A);
  now += MAX_AGE_OF_NO_MS - 1;
  expect([find(A), find(B)]).toEqual(['https://example.com/', UNKNOWN]);
  now += 1;
  expect([find(A), find(B)]).toEqual(['https://example.com/', UNAVAILABLE]);
  hosts.noteSync();
  expect(find(B)).toBe(UNKNOWN);
});

test('without news for an hour, nothing is known', () => {
  load(A);
  now += MAX_AGE_MS - 1;
  expect([find(A), find(B)]).toEqual(['https://example.com/', UNAVAILABLE]);
  now += 1;
  expect([find(A), find(B)]).toEqual([UNAVAILABLE, UNAVAILABLE]);
  hosts.noteSync();
  expect(find(A)).toBe('https://example.com/');
});

test('when hosts are loaded anew, the old ones serve until all are there', () => {
  load(A);
  hosts.reset();
  add(B, false);
  change(A, domain(A, 'https://example.org/'));
  expect([find(A), find(B)]).toEqual(['https://example.org/', UNKNOWN]);
  hosts.reset(); // once more, before the end
  expect(find(A)).toBe('https://example.org/');
  add(B, true);
  expect([find(A), find(B)]).toEqual([UNKNOWN, 'https://example.com/']);
});

test('a change while hosts are loaded anew shows in those, too', () => {
  load(A);
  hosts.reset();
  add(A, false);
  change(A);
  change(B, domain(B, 'https://example.org/'));
  hosts.add([], true);
  expect([find(A), find(B)]).toEqual([UNKNOWN, 'https://example.org/']);
});

test('old hosts that are too old do not serve, though new ones are on their way', () => {
  load(A);
  now += MAX_AGE_MS;
  hosts.reset();
  add(B, false);
  hosts.noteSync();
  expect([find(A), find(B)]).toEqual([UNAVAILABLE, UNAVAILABLE]);
  add(A, true);
  expect([find(A), find(B)]).toEqual(Array(2).fill('https://example.com/'));
});

test.each(['127.0.0.1', 'localhost', '', '-a.example.com', `${'a'.repeat(64)}.example.com`, 'a..example.com', '.example.com'])(
  'there is never a host %j',
  (host) => {
    load();
    now += MAX_AGE_OF_NO_MS;
    expect(find(host)).toBe(UNKNOWN);
  },
);
