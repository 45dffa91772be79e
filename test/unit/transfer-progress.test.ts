import { Progress } from '../../src/programs/transfer/import-task';

jest.useFakeTimers();

test('a line every few seconds has percentage, rate and time left', () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const progress = new Progress('Written');
  for (let second = 1; second <= 11; second++) {
    jest.advanceTimersByTime(1_000);
    progress.update(second * 10_000, second / 20);
  }
  const written = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect(written).toEqual([
    '25 % Written 50,000 records, 10,000 a second, 15 s left\n',
    '50 % Written 100,000 records, 10,000 a second, 10 s left\n',
  ]);
});
