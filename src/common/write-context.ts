/** Who requests a write, for the audit, and under which conditions. */
export interface WriteContext {
  accountId: number;
  /** Null for an operator on the command line. */
  keyId: number | null;
  requestId: string | null;
  precondition?: VersionCondition;
  /** Identifies the request, so that a repeat is not executed again. For one write only. */
  idempotency?: { operation: string; key: string; fingerprint: string };
}

/** Whether a record with this version may be changed. */
export type VersionCondition = (version: string) => boolean;

export function operatorContext(accountId: number): WriteContext {
  return { accountId, keyId: null, requestId: null };
}

/** The record has changed since its version was read. */
export class StaleVersion extends Error {}

/** A different request has used this key. */
export class IdempotencyKeyReused extends Error {}

/** A request with this key is still in progress. */
export class IdempotencyKeyInUse extends Error {}
