import { Logger } from '@nestjs/common';
import { Clock } from '../../../src/platform/common/clock';
import { Config } from '../../../src/platform/config/config';
import type { Settlement, SlotClaim } from '../../../src/deliveries/queue/claim';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue';
import type { Slots } from '../../../src/deliveries/queue/slots';
import type { AttemptRunner } from '../../../src/deliveries/sending/attempt-runner';
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { Background } from '../../../src/platform/jobs/background';
import { holdTimeouts } from '../../support/jest/clock';

beforeEach(() => holdTimeouts());
afterEach(() => jest.useRealTimers());

const claim = (id: number) => ({ id, accountId: 1, type: 'webhook', lane: 'webhook:1', use: 'fast', started: 0 }) as SlotClaim;

/** A worker with two slots whose first cycle returns these claims. */
function working(claims: readonly SlotClaim[]) {
  const settled: Settlement[] = [];
  const rooms: boolean[] = [];
  const attempt = jest.fn(() => new Promise<never>(() => {}));
  const held = { from: Infinity, end: () => {} };
  const lost = { from: Infinity };
  const queue = {
    hasUncertainClaims: false,
    cycle: async (settlements: readonly Settlement[], slots: Slots) => {
      settled.push(...settlements);
      rooms.push(!slots.isFull);
      const number = rooms.length;
      if (number >= held.from) await new Promise<void>((resolve) => (held.end = resolve));
      queue.hasUncertainClaims = number >= lost.from;
      if (queue.hasUncertainClaims) throw new Error('The connection was lost.');
      return number === 1 ? claims : [];
    },
    nextDue: () => Promise.resolve(Infinity),
  };
  const runner = { load: () => attempt } as unknown as AttemptRunner;
  const config = new Config({ DELIVERY_CONCURRENCY: '2' });
  const worker = new DeliveryWorker(queue as unknown as DeliveryQueue, runner, new Clock(), config, new Background());
  return { worker, settled, rooms, attempt, held, lost };
}

test('no attempt starts after stop()', async () => {
  const { worker, settled, rooms, attempt, held } = working([claim(1), claim(2)]);
  held.from = 1;
  worker.start();
  while (rooms.length < 1) await advance();
  const stop = worker.stop();
  held.from = Infinity;
  held.end();
  await stopped(stop);
  expect(attempt).not.toHaveBeenCalled();
  expect([rooms.at(-1), settled.map(({ ending }) => ending)]).toEqual([false, ['released', 'released']]);
});

test('an attempt that outlasts stop() is recorded as unknown, even during a cycle', async () => {
  const { worker, settled, rooms, held } = working([claim(7)]);
  held.from = 2;
  worker.start();
  while (rooms.length < 2) await advance();
  const stop = worker.stop();
  await advance(9_000);
  held.from = Infinity;
  held.end();
  await stopped(stop);
  expect(settled).toMatchObject([{ claim: { id: 7 }, ending: { verdict: { outcome: 'unknown' } } }]);
});

test('stop() waits for a lost connection until its timeout', async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const { worker, rooms, lost } = working([claim(1)]);
  lost.from = 1;
  worker.start();
  while (rooms.length < 1) await advance();
  let isStopped = false;
  const stop = worker.stop().then(() => (isStopped = true));
  await advance(8_999);
  await advance(0);
  expect([isStopped, rooms.length > 1]).toEqual([false, true]);
  while (!isStopped) await advance(1_000);
  await stop;
  expect(rooms.slice(1)).not.toContain(true);
});

async function stopped(stop: Promise<void>): Promise<void> {
  let isStopped = false;
  void stop.then(() => (isStopped = true));
  while (!isStopped) await advance();
}

/** Promises settle in between. */
async function advance(milliseconds = 1): Promise<void> {
  jest.advanceTimersByTime(milliseconds);
  await new Promise(setImmediate);
}
