import type { LiveDomain } from '../../src/domains/live-domains';
import { HostTable, MAX_AGE_MS } from '../../src/edge/thread/hosts/host-table';
import { KnownHosts } from '../../src/edge/thread/hosts/known-hosts';
import { UNAVAILABLE, UNKNOWN } from '../../src/edge/thread/hosts/host-queries';
import { UnknownHosts } from '../../src/edge/thread/hosts/unknown-hosts';

let now: number;
let asked: string[][];
let hosts: KnownHosts;

beforeEach(() => {
  jest.useFakeTimers();
  now = 1_000;
  asked = [];
  hosts = new KnownHosts(new HostTable(() => now), (batch) => asked.push(batch));
});

afterEach(() => jest.useRealTimers());

const A = 'a.example.com';
const B = 'b.example.com';
const domain = (host: string, indexUrl = 'https://example.com/'): LiveDomain => ({ host, indexUrl, notFoundUrl: indexUrl });
const redirect = (host: string) => hosts.find(host, false);
const ask = (host: string) => hosts.find(host, true);
/** The findings, some of which may be promises. */
const all = (findings: ReturnType<typeof ask>[]) => Promise.all(findings.map((finding) => Promise.resolve(finding)));
const found = (...live: string[]) => hosts.receive({ type: 'found', domains: live.map((host) => domain(host)) });
const change = (host: string, changed?: LiveDomain) => hosts.receive({ type: 'changes', changes: [{ host, domain: changed }] });

function load(...live: string[]): void {
  hosts.receive({ type: 'reset' });
  hosts.receive({ type: 'domains', domains: live.map((host) => domain(host)), isLast: true });
  hosts.receive({ type: 'synced' });
}

test('hosts in memory are found without a query', () => {
  load(A);
  expect(redirect(A)).toBe('https://example.com/');
  expect(redirect(B)).toBe(UNKNOWN);
  expect(asked).toEqual([]);
});

test('a change shows, whichever it is', () => {
  load(A);
  change(A, domain(A, 'https://example.org/'));
  expect(redirect(A)).toBe('https://example.org/');
  change(A);
  expect(redirect(A)).toBe(UNKNOWN);
  change(A, domain(A));
  expect(redirect(A)).toBe('https://example.com/');
});

test('while hosts are loaded, those that are missing are looked up', async () => {
  const before = redirect(A);
  found(A);
  expect(await before).toBe('https://example.com/');
  hosts.receive({ type: 'reset' });
  hosts.receive({ type: 'domains', domains: [domain(B)], isLast: false });
  hosts.receive({ type: 'synced' });
  expect(redirect(B)).toBe('https://example.com/');
  const again = redirect(A); // what was found is not kept: the feed brings it
  found(A);
  expect(await again).toBe('https://example.com/');
  expect(asked).toEqual([[A], [A]]);
});

test('without news for an hour, nothing is known', () => {
  load(A);
  now += MAX_AGE_MS - 1;
  expect([redirect(A), redirect(B)]).toEqual(['https://example.com/', UNKNOWN]);
  now += 1;
  expect([redirect(A), ask(A), redirect(B), ask(B)]).toEqual(Array(4).fill(UNAVAILABLE));
  hosts.receive({ type: 'synced' });
  expect(redirect(A)).toBe('https://example.com/');
});

test('when hosts are loaded anew, the old ones serve until all are there', () => {
  load(A);
  hosts.receive({ type: 'reset' });
  hosts.receive({ type: 'domains', domains: [domain(B)], isLast: false });
  change(A, domain(A, 'https://example.org/'));
  expect([redirect(A), redirect(B)]).toEqual(['https://example.org/', UNKNOWN]);
  hosts.receive({ type: 'reset' }); // once more, before the end
  expect(redirect(A)).toBe('https://example.org/');
  hosts.receive({ type: 'domains', domains: [domain(B)], isLast: true });
  expect([redirect(A), redirect(B)]).toEqual([UNKNOWN, 'https://example.com/']);
});

test('old hosts that are too old do not serve, though new ones are on their way', async () => {
  load(A);
  now += MAX_AGE_MS;
  hosts.receive({ type: 'reset' });
  hosts.receive({ type: 'synced' });
  const looked = redirect(A);
  found();
  expect(await looked).toBe(UNKNOWN);
});

test('a no is remembered until the host changes', async () => {
  load();
  const first = ask(A);
  found();
  expect(await first).toBe(UNKNOWN);
  expect(ask(A)).toBe(UNKNOWN);
  expect(asked).toEqual([[A]]);
  change(A, domain(A));
  expect(ask(A)).toBe('https://example.com/');
  change(A);
  void ask(A);
  expect(asked).toEqual([[A], [A]]);
});

test('a no is forgotten when hosts are loaded anew', async () => {
  load();
  const first = ask(A);
  found();
  await first;
  load();
  void ask(A);
  expect(asked).toEqual([[A], [A]]);
});

test('a no that was on its way when the host changed is not remembered', async () => {
  load();
  for (const event of [() => change(A), () => load()]) {
    const looked = ask(A);
    event();
    found();
    expect(await looked).toBe(UNKNOWN);
  }
  expect(asked).toEqual([[A], [A]]);
});

test('a no to an earlier query is not remembered either', async () => {
  load();
  const first = ask(A);
  jest.advanceTimersByTime(2_000);
  expect(await first).toBe(UNAVAILABLE);
  change(A);
  const second = ask(A); // waits for the first answer
  found();
  expect(asked).toEqual([[A], [A]]);
  found(A);
  expect(await second).toBe('https://example.com/');
});

test('equal hosts are one query; others wait for its answer, and then go together', async () => {
  load();
  const looked = [A, A, B, 'c.example.com', B].map((host) => ask(host));
  expect(asked).toEqual([[A]]);
  found();
  expect(asked).toEqual([[A], [B, 'c.example.com']]);
  found(B);
  expect(await all(looked)).toEqual([UNKNOWN, UNKNOWN, 'https://example.com/', UNKNOWN, 'https://example.com/']);
});

test('a flood is asked in batches with a pause between, and beyond a thousand not at all', async () => {
  load();
  const looked = Array.from({ length: 1_001 }, (_, index) => ask(`host-${index}.example.com`));
  expect(looked.pop()).toBe(UNAVAILABLE);
  found();
  expect(asked.map((batch) => batch.length)).toEqual([1, 64]);
  found();
  expect(asked).toHaveLength(2);
  jest.advanceTimersByTime(10);
  expect(asked).toHaveLength(3);
  jest.advanceTimersByTime(2_000);
  const findings = await all(looked);
  expect(findings.filter((finding) => finding === UNKNOWN)).toHaveLength(65);
  expect(findings.filter((finding) => finding === UNAVAILABLE)).toHaveLength(935);
  found();
  jest.advanceTimersByTime(10);
  void ask(B);
  expect(asked.at(-1)).toEqual([B]); // nothing of what timed out
});

test('without an answer of the database there is none', async () => {
  load();
  const looked = ask(A);
  hosts.receive({ type: 'found' });
  expect(await looked).toBe(UNAVAILABLE);
  void ask(A);
  expect(asked).toEqual([[A], [A]]);
});

test.each(['127.0.0.1', 'localhost', '', '-a.example.com', `${'a'.repeat(64)}.example.com`, 'a..example.com', '.example.com'])(
  'no database is asked about %j',
  (host) => {
    load();
    expect(ask(host)).toBe(UNKNOWN);
    expect(asked).toEqual([]);
  },
);

test('the last hundred thousand noes are remembered', () => {
  const unknown = new UnknownHosts();
  const add = (from: number, to: number) => {
    for (let number = from; number <= to; number++) unknown.add(`host-${number}.example.com`);
  };
  const has = (...numbers: number[]) => numbers.map((number) => unknown.has(`host-${number}.example.com`));
  add(0, 100_000);
  expect(has(0, 1, 100_000)).toEqual([false, true, true]);
  unknown.delete('host-2.example.com');
  add(100_001, 100_003);
  expect(has(1, 3, 4, 100_003)).toEqual([false, false, true, true]);
  unknown.clear();
  add(0, 100_001);
  expect(has(0, 1, 2, 100_001)).toEqual([false, false, true, true]);
});
