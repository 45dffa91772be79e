import { IntegerList } from '../../src/common/integer-queue';

const COUNT = 20_000;

let list: IntegerList;

beforeEach(() => {
  list = new IntegerList();
  for (let integer = 1; integer <= COUNT; integer++) list.add(integer);
});

test('returns the integers once, in order', () => {
  expect(list.length).toBe(COUNT);
  const taken = [];
  while (list.length > 0) taken.push(...list.take(700));
  expect(taken).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  expect(list.take(1)).toEqual([]);
});

test('is usable again after it was empty', () => {
  list.take(COUNT);
  list.add(7);
  expect([list.length, list.take(2)]).toEqual([1, [7]]);
});

test('frees the memory of what was taken', () => {
  const capacity = () => list['integers'].length;
  const full = capacity();
  list.take(COUNT - 1_000);
  expect(capacity()).toBeLessThan(full / 8);
  expect(list.take(1_000)).toHaveLength(1_000);
});

test.each([1, 100, 8_192, 8_193, 16_385, COUNT])('drops everything through %d', (integer) => {
  list.take(integer % 3);
  expect(integer === 1 || list.dropThrough(integer)).toBe(true);
  expect(list.take(1)).toEqual(integer === COUNT ? [] : [integer + 1]);
});

test('drops nothing when the integer is absent or already taken', () => {
  list.take(10_000);
  for (const absent of [0, 5, 9_999, COUNT + 1]) expect(list.dropThrough(absent)).toBe(false);
  expect(list.take(1)).toEqual([10_001]);
});
