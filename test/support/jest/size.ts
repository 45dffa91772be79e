/** Set by `npm run test:all`, which runs long tests in full; `npm test` runs a part of them. */
export const isWhole = process.env.TEST_SIZE === 'whole';

const isOnMysql = globalThis.TEST_DATABASE === 'mysql'; // not from database.ts: unit tests load this file, too

/** A count for `npm test`, and one for `npm run test:all`. */
export function sized(part: number, whole: number): number {
  return isWhole ? whole : part;
}

/** All of them in `npm run test:all` on the embedded database. Otherwise one: the next for each index. */
export function inTurn<T>(all: readonly T[], index: number): readonly T[] {
  return isWhole && !isOnMysql ? all : [all[index % all.length]];
}

/** All of them in `npm run test:all`. In `npm test` this many, spread evenly. */
export function sample<T>(all: readonly T[], number: number): readonly T[] {
  return isWhole ? all : Array.from({ length: number }, (_, index) => all[Math.floor((index * all.length) / number)]);
}

/** For tests with processes, kills and long waits. A test that always runs covers the plain case. */
export const longTest = isWhole ? test : test.skip;

/** Long tests with a common preparation, which `npm test` then skips, too. */
export const describeLong = isWhole ? describe : describe.skip;

/** For tests that don't depend on the database: run on the embedded one only. A whole file says so in its docblock. */
export const testOnce = isOnMysql ? test.skip : test;

/** A `longTest` that doesn't depend on the database. */
export const longTestOnce = isOnMysql ? test.skip : longTest;
