import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, MoreThanOrEqual } from 'typeorm';
import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import type { SqlExecutor } from '../dialect';
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

export interface AuditQuery {
  accountId?: number;
  /** A prefix of `YYYY-MM-DD HH:MM:SS`. */
  since?: string;
  max: number;
}

@Injectable()
export class AuditReader {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest entries, in chronological order. */
  async find({ accountId, since, max }: AuditQuery): Promise<AuditEntry[]> {
    const where: FindOptionsWhere<AuditEntry> = {};
    if (accountId !== undefined) where.account_id = accountId;
    if (since !== undefined) where.datetime = MoreThanOrEqual(since);
    const entries = await this.dataSource.getRepository<AuditEntry>('audit').find({ where, order: { id: 'DESC' }, take: max });
    return entries.map((entry) => ({ ...entry, id: Number(entry.id) })).reverse(); // mysql2 returns a bigint as a string
  }
}
