import type { LiveDomain } from '../../src/domains/domain-changes';
import { LiveHosts, MAX_AGE_MS, MAX_NEGATIVE_AGE_MS, UNAVAILABLE, UNKNOWN } from '../../src/edge/live-hosts';

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

test('hosts are unavailable until all are loaded', () => {
  hosts.reset();
  add(A, false);
  hosts.noteSync();
  expect([find(A), find(B)]).toEqual([UNAVAILABLE, UNAVAILABLE]);
  add(B, true);
  expect([find(A), find(B), find('c.example.com')]).toEqual(['https://example.com/', 'https://example.com/', UNKNOWN]);
  expect(hosts.size).toBe(2);
});

test('an updated, removed or added host is applied', () => {
  load(A);
  change(A, domain(A, 'https://example.org/'));
  expect(find(A)).toBe('https://example.org/');
  change(A);
  expect(find(A)).toBe(UNKNOWN);
  change(A, domain(A));
  expect(find(A)).toBe('https://example.com/');
});

test('unknown hosts become unavailable ten seconds after the last sync', () => {
  load(A);
  now += MAX_NEGATIVE_AGE_MS - 1;
  expect([find(A), find(B)]).toEqual(['https://example.com/', UNKNOWN]);
  now += 1;
  expect([find(A), find(B)]).toEqual(['https://example.com/', UNAVAILABLE]);
  hosts.noteSync();
  expect(find(B)).toBe(UNKNOWN);
});

test('all hosts become unavailable an hour after the last sync', () => {
  load(A);
  now += MAX_AGE_MS - 1;
  expect([find(A), find(B)]).toEqual(['https://example.com/', UNAVAILABLE]);
  now += 1;
  expect([find(A), find(B)]).toEqual([UNAVAILABLE, UNAVAILABLE]);
  hosts.noteSync();
  expect(find(A)).toBe('https://example.com/');
});

test('old hosts are served during a reload', () => {
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

test('a change during a reload is applied to the new hosts', () => {
  load(A);
  hosts.reset();
  add(A, false);
  change(A);
  change(B, domain(B, 'https://example.org/'));
  hosts.add([], true);
  expect([find(A), find(B)]).toEqual([UNKNOWN, 'https://example.org/']);
});

test('expired hosts are not served during a reload', () => {
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
  'the invalid host name %j is always unknown',
  (host) => {
    load();
    now += MAX_NEGATIVE_AGE_MS;
    expect(find(host)).toBe(UNKNOWN);
  },
);
