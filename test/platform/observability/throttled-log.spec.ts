import { Logger } from '@nestjs/common';
import { Clock } from '../../../src/platform/common/clock';
import { ThrottledLog } from '../../../src/platform/observability/logging';

const MAX_KEYS = 100_000;

test('a bounded number of keys is kept, and the least recently logged one is dropped first', () => {
  const logger = new Logger();
  const warn = jest.spyOn(logger, 'warn').mockImplementation();
  const clock = new Clock();
  jest.spyOn(clock, 'monotonic').mockReturnValue(0);
  const log = new ThrottledLog(logger, clock);
  for (let key = 0; key < MAX_KEYS; key++) log.log({ message: 'x' }, key);
  log.log({ message: 'x' }, 0);
  expect(warn).toHaveBeenCalledTimes(MAX_KEYS);
  log.log({ message: 'x' }, MAX_KEYS); // takes the place of the first
  log.log({ message: 'x' }, 0);
  expect(warn).toHaveBeenCalledTimes(MAX_KEYS + 2);
  expect(warn.mock.lastCall).toEqual([{ message: 'x' }]);
});
