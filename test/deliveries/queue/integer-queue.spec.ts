import { IntegerQueue } from '../../../src/platform/common/integer-queue';

const COUNT = 20_000;

let queue: IntegerQueue;

beforeEach(() => {
  queue = new IntegerQueue();
  for (let integer = 1; integer <= COUNT; integer++) queue.add(integer);
});

test('returns the integers once, in order', () => {
  expect(queue.length).toBe(COUNT);
  const taken = [];
  while (queue.length > 0) taken.push(...queue.take(700));
  expect(taken).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  expect(queue.take(1)).toEqual([]);
});

test('can be refilled after it was emptied', () => {
  queue.take(COUNT);
  queue.add(7);
  expect([queue.length, queue.take(2)]).toEqual([1, [7]]);
});

test('frees the memory of taken integers', () => {
  const capacity = () => queue['integers'].length;
  const full = capacity();
  queue.take(COUNT - 1_000);
  expect(capacity()).toBeLessThan(full / 8);
  expect(queue.take(1_000)).toHaveLength(1_000);
});

test.each([1, 100, 8_192, 8_193, 16_385, COUNT])('drops everything up to and including %d', (integer) => {
  queue.take(integer % 3);
  expect(integer === 1 || queue.dropThrough(integer)).toBe(true);
  expect(queue.take(1)).toEqual(integer === COUNT ? [] : [integer + 1]);
});

test('drops nothing when the integer is absent or already taken', () => {
  queue.take(10_000);
  for (const absent of [0, 5, 9_999, COUNT + 1]) expect(queue.dropThrough(absent)).toBe(false);
  expect(queue.take(1)).toEqual([10_001]);
});
