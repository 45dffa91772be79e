import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { standardError } from '../../../src/platform/observability/standard-output';
import { enforceStartDeadline } from '../../../src/programs/server/workers';

beforeEach(() => jest.useFakeTimers());

afterEach(() => jest.useRealTimers());

function startingWorker(milliseconds: number) {
  const kill = jest.fn();
  const worker = Object.assign(new EventEmitter(), { process: { pid: 7, kill } });
  enforceStartDeadline(worker as unknown as Worker, milliseconds);
  return { worker, kill };
}

test.each(['listening', 'exit'])('the event %s ends the deadline', (event) => {
  const { worker, kill } = startingWorker(5_000);
  worker.emit(event);
  jest.runAllTimers();
  expect(kill).not.toHaveBeenCalled();
});

test('migrations pause the deadline, which then starts over', () => {
  jest.spyOn(standardError, 'write').mockReturnValue();
  const { worker, kill } = startingWorker(5_000);
  worker.emit('message', 'frontdesk:migrating');
  jest.advanceTimersByTime(600_000);
  expect(kill).not.toHaveBeenCalled();
  worker.emit('message', 'frontdesk:migrated');
  jest.advanceTimersByTime(5_000);
  expect(kill).toHaveBeenCalledTimes(1);
});
