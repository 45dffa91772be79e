import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Clock as ServiceClock } from '../../../src/platform/common/clock';
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { CheckWorker } from '../../../src/domains/verification/check-worker';
import type { BackgroundWork } from '../../../src/platform/jobs/background';
import type { TestApplication } from '../http/application';

/** Below the time that a test has. */
export const LIMIT_MS = 110_000;

/** All but `setTimeout` itself, so that requests and databases keep working. */
const OTHER_TIMERS = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const;

/** Holds every `setTimeout` until the test calls `jest.advanceTimersByTime`; `jest.useRealTimers` ends it. */
export function holdTimeouts(): void {
  jest.useFakeTimers({ doNotFake: [...OTHER_TIMERS] });
}

/** Controls the clocks that the service reads, but not its timers, until the end of a test. */
export interface Clock {
  move(milliseconds: number): void;
}

/** Stops `performance.now` and `Date.now`, so that only the test moves them. */
export function stopClock(): Clock {
  const stopped = { monotonic: performance.now(), wall: Date.now() };
  let moved = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => stopped.monotonic + moved);
  jest.spyOn(Date, 'now').mockImplementation(() => stopped.wall + moved);
  return { move: (milliseconds) => void (moved += milliseconds) };
}

/** Controls the clock of one application, which can also go back; `move` wakes its workers. */
export function holdClock({ app }: TestApplication): Clock {
  const clock = app.get(ServiceClock);
  const start = { now: Date.now(), monotonic: performance.now() };
  let moved = 0;
  jest.spyOn(clock, 'now').mockImplementation(() => start.now + moved);
  jest.spyOn(clock, 'monotonic').mockImplementation(() => start.monotonic + moved);
  return {
    move(milliseconds) {
      moved += milliseconds;
      for (const worker of [DeliveryWorker, CheckWorker]) app.get<BackgroundWork>(worker).loop.wake();
    },
  };
}

/** Polls until the value meets the condition. @throws Error that shows both, before the test itself times out */
export async function until<T>(read: () => Promise<T> | T, is: (value: T) => boolean = Boolean): Promise<T> {
  const start = process.hrtime.bigint(); // which no test stops
  for (;;) {
    const value = await read();
    if (is(value)) return value;
    if (process.hrtime.bigint() - start > BigInt(LIMIT_MS) * 1_000_000n)
      throw new Error(`Waited for ${is === Boolean ? '' : `${is.toString()} of `}${read.toString()}; last was ${inspect(value)}.`);
    await pause(10);
  }
}
