import { Injectable } from '@nestjs/common';
import { Dialect } from '../dialect';
import type { AuditEntry } from './audit-entry.entity';

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
