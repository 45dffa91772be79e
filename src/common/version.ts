import { createHash } from 'node:crypto';

/** A record, and what tells this state of it from every other. */
export interface Versioned<R> {
  record: R;
  version: string;
}

/** Of the content alone: nothing has to be counted, nor kept. 132 bits, which no two states of a record share. */
export function versionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
