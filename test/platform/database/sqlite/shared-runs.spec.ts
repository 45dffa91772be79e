import { SharedRuns } from '../../../../src/platform/common/concurrency';

/** A task whose runs the test ends. */
function heldTask() {
  const ends: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  const task = jest.fn(() => new Promise<number>((resolve, reject) => ends.push({ resolve, reject })));
  return { task, ends };
}

const turn = () => new Promise(setImmediate);

test('callers that arrive during a run share the next run', async () => {
  const runs = new SharedRuns<number>();
  const { task, ends } = heldTask();
  const first = runs.run('a', task);
  const [second, third] = [runs.run('a', task), runs.run('a', task)];
  expect([task.mock.calls.length, runs.isRunning('a'), runs.isRunning('b')]).toEqual([1, true, false]);
  ends[0].resolve(1);
  expect(await first).toBe(1);
  await turn();
  expect(task).toHaveBeenCalledTimes(2);
  ends[1].resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await turn();
  expect(runs.isRunning('a')).toBe(false);
});

test('a failed run fails only for the callers that share it', async () => {
  const runs = new SharedRuns<number>();
  const { task, ends } = heldTask();
  const first = runs.run('a', task);
  const second = runs.run('a', task);
  ends[0].reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await turn();
  ends[1].resolve(2);
  expect(await second).toBe(2);
});

test('runs of different keys are concurrent', async () => {
  const runs = new SharedRuns<number>();
  const { task, ends } = heldTask();
  const both = [runs.run('a', task), runs.run('b', task)];
  expect(task).toHaveBeenCalledTimes(2);
  ends.forEach(({ resolve }, index) => resolve(index));
  expect(await Promise.all(both)).toEqual([0, 1]);
});
