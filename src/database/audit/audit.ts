import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import type { SqlExecutor } from '../dialect';

type AuditAction =
  | 'create'
  | 'update'
  | 'delete'
  | 'revoke'
  | 'disable'
  | 'enable'
  | 'import'
  | 'rotate'
  | 'prune'
  | 'retry'
  | 'test'
  | 'verify'
  | 'unverify';

/** Contains none of the record's content, so no secrets. */
export interface AuditEvent {
  action: AuditAction;
  record: string;
  recordId: number | null;
}

const INSERT = 'INSERT INTO audit (datetime, account_id, key_id, action, record, record_id, request_id) VALUES (?, ?, ?, ?, ?, ?, ?)';

/** Adds an entry, in the transaction of the write. */
export async function audit(statements: SqlExecutor, by: WriteContext, { action, record, recordId }: AuditEvent): Promise<void> {
  await statements.write(INSERT, [timestamp(), by.accountId, by.keyId, action, record, recordId, by.requestId]);
}
