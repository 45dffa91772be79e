import { randomBytes } from 'node:crypto';

const EPOCH_BYTES = 5;

/** Part of the ids of events; no two databases have one in common. */
export function newEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex');
}
