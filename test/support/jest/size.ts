/** `npm run test:all` sets it: what takes long is then done in full. `npm test` does a part of it. */
export const isWhole = process.env.TEST_SIZE === 'whole';

const isOnMysql = globalThis.TEST_DATABASE === 'mysql'; // not from database.ts: unit tests load this file, too

/** How often something is done: in `npm test`, and in `npm run test:all`. */
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

/** For what only whole processes, kills and waits show; its plain case is tried by a test that always runs. */
export const longTest = isWhole ? test : test.skip;

/** For what no database has a part in: tried on the embedded one only. A whole file says so in its first line. */
export const testOnce = isOnMysql ? test.skip : test;

/** A `longTest` that no database has a part in. */
export const longTestOnce = isOnMysql ? test.skip : longTest;
