import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import { Dialect, type SqlExecutor } from '../dialect';
import type { AuditEntry } from './audit-entry.entity';

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

const COLUMNS = 'id, datetime, account_id, key_id, action, record, record_id, request_id';

export interface AuditQuery {
  accountId?: number;
  /** A prefix of `YYYY-MM-DD HH:MM:SS`. */
  since?: string;
  max: number;
}

@Injectable()
export class AuditReader {
  constructor(private readonly dialect: Dialect) {}

  /** The newest entries, in chronological order. */
  async find({ accountId, since, max }: AuditQuery): Promise<AuditEntry[]> {
    const conditions = [...(accountId === undefined ? [] : ['account_id = ?']), ...(since === undefined ? [] : ['datetime >= ?'])];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = [accountId, since, max].filter((value) => value !== undefined);
    const rows = await this.dialect.readNamed(`SELECT ${COLUMNS} FROM audit ${where} ORDER BY id DESC LIMIT ?`, values);
    return rows.map((row) => ({ ...row, id: Number(row.id) }) as unknown as AuditEntry).reverse(); // mysql2 returns a bigint as a string
  }
}
