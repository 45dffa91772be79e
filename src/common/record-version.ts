import { createHash } from 'node:crypto';

/** A record with a version that identifies its state. */
export interface Versioned<R> {
  record: R;
  version: string;
}

/** A hash of the content, so no counter is stored. 132 bits rule out collisions. */
export function versionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
