/** Who requests a write, as the audit log records it, and the conditions for the write. */
export interface WriteContext {
  accountId: number;
  /** Null without a key, as on the command line or in a job. */
  keyId: number | null;
  requestId: string | null;
  /** The scopes of the key; undefined for an operator, who has them all. */
  scopes?: { has(scope: string): boolean };
  /** The request's `traceparent` header: https://www.w3.org/TR/trace-context/ */
  traceparent?: string;
  precondition?: VersionCondition;
  /** Identifies the request, so that a repeat is not executed again. Valid for one write. */
  idempotency?: { operation: string; key: string; fingerprint: string };
}

/** Whether a record with this version may be changed. */
export type VersionCondition = (version: string) => boolean;

export function operatorContext(accountId: number): WriteContext {
  return { accountId, keyId: null, requestId: null };
}
