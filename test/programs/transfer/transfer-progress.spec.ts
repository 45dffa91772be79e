import { Progress } from '../../../src/programs/transfer/import-task';

jest.useFakeTimers();

/** Output for 10,000 records a second over 11 seconds. */
function output(isTTY: boolean): string[] {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream;
  const progress = new Progress('Written', stream);
  for (let second = 1; second <= 11; second++) {
    jest.advanceTimersByTime(1_000);
    progress.update(second * 10_000, second / 20);
  }
  progress.print('line 7: nome is required.');
  return written;
}

test('without a terminal, prints percentage, rate and time left every few seconds', () =>
  expect(output(false)).toEqual([
    '25 % Written 50,000 records, 10,000 a second, 15 s left\n',
    '50 % Written 100,000 records, 10,000 a second, 10 s left\n',
    'line 7: nome is required.\n',
  ]));

test('on a terminal, redraws a bar in place and clears it for other output', () => {
  const written = output(true);
  expect(written).toHaveLength(13);
  expect(written[9]).toBe('\r\u001b[K███████████████░░░░░░░░░░░░░░░ 50 % Written 100,000 records, 10,000 a second, 10 s left');
  expect(written.slice(-2)).toEqual(['\r\u001b[K', 'line 7: nome is required.\n']);
});

test('prints only the rate while the fraction is unknown', () => {
  const written: string[] = [];
  const progress = new Progress('Checked', { write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream);
  jest.advanceTimersByTime(5_000);
  progress.update(1_000);
  expect(written).toEqual(['Checked 1,000 records, 200 a second\n']);
});
