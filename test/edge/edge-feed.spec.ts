import { Logger } from '@nestjs/common';
import type { DomainChanges, HostChange, LiveDomain } from '../../src/domains/domain-changes';
import { HostFeed } from '../../src/edge/host-feed';
import type { LiveHosts } from '../../src/edge/live-hosts';

const HOUR_MS = 60 * 60 * 1_000;
const domain = (host: string): LiveDomain => ({ host, indexUrl: '', notFoundUrl: '' });

let feed: HostFeed;
/** The calls of the feed to the hosts. */
let done: string[];
let time: { monotonic: number; wall: number };
/** What the database has: the last number of a change, and pages of live domains. */
let last: number;
let pages: string[][];
let numberChanges: jest.Mock<Promise<number>>;
let loadPage: jest.Mock;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  done = [];
  time = { monotonic: 0, wall: 0 };
  last = 7;
  pages = [['a'], ['b'], ['c']];
  numberChanges = jest.fn(() => Promise.resolve(last));
  loadPage = jest.fn((page: number) =>
    Promise.resolve({ domains: pages[page].map(domain), next: page + 1 < pages.length ? page + 1 : undefined }),
  );
  const findChanged = (from: number, to: number) => Promise.resolve([{ host: `${from + 1}-${to}` }]);
  const clock = { now: () => time.wall, monotonic: () => time.monotonic };
  feed = new HostFeed({ numberChanges, loadPage, findChanged } as unknown as DomainChanges, hosts as unknown as LiveHosts, clock);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});

afterEach(async () => {
  await feed.beforeApplicationShutdown();
  jest.useRealTimers();
});

const hosts = {
  reset: () => done.push('reset'),
  add: (domains: LiveDomain[], isLast: boolean) => done.push(`${domains.map(({ host }) => host).join()}${isLast ? '.' : ''}`),
  apply: (changes: HostChange[]) => done.push(changes.map(({ host }) => host).join()),
  noteSync: () => done.push('synced'),
};

/** Returns the calls of one cycle. */
async function untilIdle(): Promise<string[]> {
  done = [];
  await jest.advanceTimersByTimeAsync(500);
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  return done;
}

const loaded = ['reset', 'a', 'synced', 'b', 'synced', 'c.', 'synced'];

test('the feed loads all hosts and then applies changes', async () => {
  void feed.start();
  expect(await untilIdle()).toEqual(loaded);
  expect(await untilIdle()).toEqual(['synced']);
  last = 9;
  expect(await untilIdle()).toEqual(['8-9', 'synced']);
});

test('start() resolves when all hosts are loaded', async () => {
  loadPage.mockResolvedValueOnce({ domains: [domain('a')], next: 1 }).mockRejectedValueOnce(new Error('away'));
  let isOver = false;
  void feed.start().then(() => (isOver = true));
  await untilIdle();
  expect(isOver).toBe(false);
  await untilIdle();
  expect(isOver).toBe(true);
});

test('changes during loading are applied before the pages that are read later', async () => {
  loadPage.mockImplementationOnce(() => {
    last = 8;
    return Promise.resolve({ domains: [domain('a')], next: 1 });
  });
  void feed.start();
  expect(await untilIdle()).toEqual(['reset', 'a', 'synced', '8-8', 'b', 'synced', 'c.', 'synced']);
});

test('many changes are read in batches of twenty', async () => {
  void feed.start();
  await untilIdle();
  last = 50;
  expect(await untilIdle()).toEqual(['8-27', '28-47', '48-50', 'synced']);
});

test('a cycle after an error continues where the last one stopped', async () => {
  loadPage.mockResolvedValueOnce({ domains: [domain('a')], next: 1 }).mockRejectedValueOnce(new Error('away'));
  void feed.start();
  expect([...(await untilIdle()), ...(await untilIdle())]).toEqual(loaded);
  numberChanges.mockRejectedValueOnce(new Error('away'));
  last = 8;
  expect(await untilIdle()).toEqual([]);
  expect(await untilIdle()).toEqual(['8-8', 'synced']);
});

test('lower event numbers, as of a restored backup, reload all hosts', async () => {
  void feed.start();
  await untilIdle();
  last = 6;
  expect(await untilIdle()).toEqual(loaded);
});

test.each([
  ['monotonic', 12, ['synced']],
  ['monotonic', 13, loaded],
  ['wall', 13, loaded], // a machine that slept
] as const)('hosts are reloaded after more than 12 hours: %s time, %d hours', async (clock, hours, expected) => {
  void feed.start();
  await untilIdle();
  time[clock] += hours * HOUR_MS;
  expect(await untilIdle()).toEqual(expected);
});
