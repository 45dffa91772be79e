/** A write that somebody asks for: what the audit tells of it, and what it depends on. */
export interface WriteContext {
  accountId: number;
  /** Null for an operator's, from the command line. */
  keyId: number | null;
  requestId: string | null;
  /** The versions of which the record must have one. */
  versions?: VersionCondition;
  /** Names the request, so that it is carried out once however often it is sent. */
  idempotency?: { key: string; fingerprint: string };
}

/** Whether a record in this version may be changed. */
export type VersionCondition = (version: string) => boolean;

/** What an operator does beside the service. */
export function operatorContext(accountId: number): WriteContext {
  return { accountId, keyId: null, requestId: null };
}

/** The record has changed since its version was read. */
export class StaleVersion extends Error {}

/** Another request was sent with this key before. */
export class IdempotencyKeyReused extends Error {}

/** The request with this key is still being carried out. */
export class IdempotencyKeyInUse extends Error {}
