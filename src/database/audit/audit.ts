import type { WriteContext } from '../../common/write-context';
import type { Statements } from '../dialect';
import { timestamp } from '../../common/time';

/** What the audit tells of: who did what to which record. Nothing of the record itself, so no secret either. */
export interface AuditEvent {
  action: 'create' | 'update' | 'delete' | 'revoke' | 'disable' | 'enable' | 'import' | 'rotate' | 'prune';
  record: string;
  recordId: number | null;
}

const INSERT = 'INSERT INTO audit (datetime, account_id, key_id, action, record, record_id, request_id) VALUES (?, ?, ?, ?, ?, ?, ?)';

/** Leaves a row that is kept with the write it tells of, or not at all. */
export async function audit(statements: Statements, by: WriteContext, { action, record, recordId }: AuditEvent): Promise<void> {
  await statements.write(INSERT, [timestamp(), by.accountId, by.keyId, action, record, recordId, by.requestId]);
}
