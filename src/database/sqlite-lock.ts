import { setTimeout as sleep } from 'node:timers/promises';
import type Libsql from 'libsql';
import { driverError } from './dialect';

/** For so long a write waits for another process to come to the end of its own. */
export const BUSY_MILLISECONDS = 5_000;
const RETRY_MILLISECONDS = 20;

/**
 * IMMEDIATE takes the write lock before the first read; a deferred transaction fails at once when another process
 * writes between its own read and write (https://sqlite.org/isolation.html).
 */
export async function immediately<T>(database: Libsql.Database, work: () => Promise<T>): Promise<T> {
  await whenFree(() => database.exec('BEGIN IMMEDIATE'));
  try {
    const result = await work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK'); // after some errors SQLite has done so by itself
    throw error;
  }
}

/** Runs a statement when no other process writes, and gives up after the time in which one should have come to its end. */
export async function whenFree<T>(statement: () => T | Promise<T>): Promise<T> {
  const deadline = Date.now() + BUSY_MILLISECONDS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (driverError(error).code !== 'SQLITE_BUSY' || Date.now() > deadline) throw error;
      await sleep(RETRY_MILLISECONDS);
    }
  }
}

/** A function that runs what it is given one at a time, in the order of the calls. */
export function takingTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
