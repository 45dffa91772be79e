import { Clock } from '../../src/common/clock';
import { Config } from '../../src/config/config';
import type { Settlement, SlotClaim } from '../../src/deliveries/queue/claim';
import type { DeliveryQueue } from '../../src/deliveries/queue/delivery-queue';
import { DeliveryWorker } from '../../src/deliveries/sending/delivery-worker';
import type { Dispatch } from '../../src/deliveries/sending/dispatch';
import { Background } from '../../src/jobs/background';
import { holdTimeouts } from '../support/clock';

afterEach(() => jest.useRealTimers());

test('an attempt that outlasts the stop is noted, also while a cycle is in progress', async () => {
  holdTimeouts();
  const claim = { id: 7, accountId: 1, type: 'webhook', lane: 'webhook:1', use: 'fast', started: 0 } as SlotClaim;
  const settled: (readonly Settlement[])[] = [];
  let endCycle = () => {};
  const queue = {
    cycle: async (settlements: readonly Settlement[]) => {
      settled.push(settlements);
      if (settled.length === 1) return [claim];
      if (settled.length === 2) await new Promise<void>((resolve) => (endCycle = resolve));
      return [];
    },
    nextDue: () => Promise.resolve(undefined),
  } as unknown as DeliveryQueue;
  const dispatch = { load: () => () => new Promise(() => {}) } as unknown as Dispatch;
  const worker = new DeliveryWorker(queue, dispatch, new Clock(), new Config({}), new Background());
  worker.start();
  while (settled.length < 2) await advance();
  const stopped = worker.stop();
  await advance(9_000);
  endCycle();
  let isStopped = false;
  void stopped.then(() => (isStopped = true));
  while (!isStopped) await advance();
  expect(settled.flat()).toMatchObject([{ claim: { id: 7 }, ending: { verdict: { outcome: 'unknown' } } }]);
});

/** Promises settle in between. */
async function advance(milliseconds = 1): Promise<void> {
  jest.advanceTimersByTime(milliseconds);
  await new Promise(setImmediate);
}
