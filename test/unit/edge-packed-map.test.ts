import fc from 'fast-check';
import { PackedMap } from '../../src/edge/thread/hosts/packed-map';

const text = (maxLength: number) =>
  fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)), maxLength });
const key = fc.oneof(fc.nat(50).map(String), text(20));

test('it answers as a Map does, whatever is set, replaced and deleted', () => {
  const step = fc.oneof(
    fc.record({ key, value: fc.oneof(text(5), text(400)) }),
    key.map((deleted) => ({ key: deleted, value: undefined })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const [map, packed] = [new Map<string, string>(), new PackedMap()];
      const sizes: [expected: number, actual: number][] = []; // compared at once: a hundred thousand calls of `expect` take seconds
      for (const { key, value } of steps) {
        for (const each of [map, packed]) {
          if (value === undefined) each.delete(key);
          else each.set(key, value);
        }
        sizes.push([map.size, packed.size]);
      }
      expect(sizes.map(([, actual]) => actual)).toEqual(sizes.map(([expected]) => expected));
      expect(steps.map(({ key }) => packed.get(key))).toStrictEqual(steps.map(({ key }) => map.get(key)));
    }),
  );
});

test('it grows over many chunks, and a value may be as long as the longest URLs', () => {
  const packed = new PackedMap();
  const long = 'x'.repeat(65_535);
  for (let number = 0; number < 5_000; number++) packed.set(`host-${number}`, number % 50 === 0 ? long : String(number));
  for (let number = 0; number < 5_000; number++) expect(packed.get(`host-${number}`)).toBe(number % 50 === 0 ? long : String(number));
  expect(packed.get('host-5000')).toBeUndefined();
  expect(() => packed.set('a', `${long}x`)).toThrow(RangeError);
  expect(() => packed.set('a'.repeat(256), '')).toThrow(RangeError);
  expect(packed.get('a'.repeat(256))).toBeUndefined();
});

/** Bytes of memory that it holds for entries. */
function memoryOf(packed: PackedMap): number {
  const { chunks } = (packed as unknown as { entries: { chunks: { bytes: Buffer }[] } }).entries;
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

const MIB = 1 << 20;

test('space of what is replaced and deleted is used again', () => {
  const packed = new PackedMap();
  for (let round = 0; round < 50; round++) {
    for (let number = 0; number < 1_000; number++) packed.set(`host-${number}`, 'x'.repeat(1_000 + (number % 3)));
    for (let number = 0; number < 1_000; number += 2) packed.delete(`host-${number}`);
  }
  expect(packed.size).toBe(500);
  expect(memoryOf(packed)).toBeLessThanOrEqual(8 * MIB);
});

test.each([
  ['grow', (step: number) => step],
  ['shrink', (step: number) => 4_000 - step],
  ['vary', (step: number) => (step * 1_597) % 4_001],
])('values that %s take no more memory than a few chunks', (_, lengthOf) => {
  const packed = new PackedMap();
  for (let step = 0; step < 4_000; step++) {
    for (let number = 0; number < 10; number++) packed.set(`host-${number}`, 'x'.repeat(lengthOf(step)));
  }
  expect(memoryOf(packed)).toBeLessThanOrEqual(8 * MIB);
  expect(packed.get('host-3')).toHaveLength(lengthOf(3_999));
});

test('memory follows what is left of many entries', () => {
  const packed = new PackedMap();
  const lengthOf = (number: number) => 50 + ((number * 7) % 500);
  for (let number = 0; number < 100_000; number++) packed.set(`host-${number}`, 'x'.repeat(lengthOf(number)));
  for (let number = 0; number < 100_000; number++) if (number % 10) packed.delete(`host-${number}`);
  expect(memoryOf(packed)).toBeLessThanOrEqual(10 * MIB);
  const isRight = (number: number) => packed.get(`host-${number}`)?.length === (number % 10 ? undefined : lengthOf(number));
  expect(Array.from({ length: 100_000 }, (_, number) => number).filter((number) => !isRight(number))).toEqual([]);
});
