import { PollLoop } from '../../../src/platform/jobs/background';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A loop whose cycles the test ends, and the errors it reports. */
function loopOf(isIdle?: () => boolean) {
  const cycles: { end: (wait: number) => void; fail: (error: Error) => void }[] = [];
  const errors: unknown[] = [];
  const cycle = () => new Promise<number>((end, fail) => void cycles.push({ end, fail }));
  const loop = new PollLoop({ cycle, onError: (error) => errors.push(error), isIdle });
  return { loop, cycles, errors };
}

test('a cycle that returns 0 is followed immediately by the next', async () => {
  const { loop, cycles } = loopOf();
  loop.start();
  cycles[0].end(0);
  await settle();
  expect(cycles).toHaveLength(2);
});

test('wake() ends a wait, and takes effect after the cycle when called during one', async () => {
  const { loop, cycles } = loopOf();
  loop.start();
  cycles[0].end(3_600_000);
  await settle();
  expect(cycles).toHaveLength(1);
  loop.wake();
  await settle();
  expect(cycles).toHaveLength(2);
  loop.wake();
  cycles[1].end(3_600_000);
  await settle();
  expect(cycles).toHaveLength(3);
  const stopped = loop.stop();
  cycles[2].end(0);
  await stopped;
});

test.each([0, 1, 2])('wake() ends an infinite wait after %d earlier calls', async (wakes) => {
  const { loop, cycles } = loopOf();
  loop.start();
  for (let count = 0; count < wakes; count++) loop.wake();
  cycles[0].end(Infinity);
  await settle();
  expect(cycles).toHaveLength(wakes === 0 ? 1 : 2);
  cycles[1]?.end(Infinity);
  await settle();
  loop.wake();
  await settle();
  expect(cycles).toHaveLength(wakes === 0 ? 2 : 3);
  const stopped = loop.stop();
  cycles[cycles.length - 1].end(0);
  await stopped;
});

test('stop() resolves after the running cycle', async () => {
  const { loop, cycles } = loopOf();
  loop.start();
  const stopped = loop.stop();
  cycles[0].end(0);
  await stopped;
  expect(cycles).toHaveLength(1);
});

test('stop() runs further cycles until isIdle() returns true', async () => {
  let isIdle = false;
  const { loop, cycles } = loopOf(() => isIdle);
  loop.start();
  const stopped = loop.stop();
  cycles[0].end(0);
  await settle();
  isIdle = true;
  cycles[1].end(0);
  await stopped;
  expect(cycles).toHaveLength(2);
});

test('a failed cycle is reported and followed by the next after a second, whatever wake() does', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { loop, cycles, errors } = loopOf();
  loop.start();
  cycles[0].fail(new Error('away'));
  await settle();
  loop.wake();
  await settle();
  expect([cycles.length, errors]).toEqual([1, [new Error('away')]]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(cycles).toHaveLength(2);
  jest.useRealTimers();
});
