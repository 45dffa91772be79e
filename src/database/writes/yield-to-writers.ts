import { setTimeout as sleep } from 'node:timers/promises';

/** On SQLite, another process's writer polls for the lock every 20 ms. */
const PAUSE_MS = 30;

/** Pauses between the transactions of a batch job, so that other writers get the lock. */
export function yieldToWriters(): Promise<void> {
  return sleep(PAUSE_MS);
}
