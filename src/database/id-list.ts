import type { Values } from './dialect';

/** `(?, …)` for at least one id. Repeats the last one up to a power of two, so that few distinct statements are prepared. */
export function idList(ids: readonly number[]): { sql: string; values: Values } {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  const values = Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)]);
  return { sql: `(${values.map(() => '?').join(', ')})`, values };
}
