/** All but `setTimeout` itself: requests and databases go on as ever. */
const OTHER_TIMERS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval'] as const),
];

/** Has what waits for a `setTimeout` wait until the test calls `jest.advanceTimersByTime`; `jest.useRealTimers` ends it. */
export function holdTimeouts(): void {
  jest.useFakeTimers({ doNotFake: OTHER_TIMERS });
}

/** The clocks that the service reads, in the hands of a test until its end. Timers keep their own pace. */
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
