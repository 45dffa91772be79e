import { Injectable } from '@nestjs/common';
import type { AuditEntry } from './audit-entry.entity';
import { Dialect } from '../dialect';

const COLUMNS = 'id, datetime, account_id, key_id, action, record, record_id, request_id';

export interface AuditQuery {
  accountId?: number;
  /** `YYYY-MM-DD HH:MM:SS`, or the beginning of it. */
  since?: string;
  max: number;
}

/** Reads the audit. */
@Injectable()
export class AuditLog {
  constructor(private readonly dialect: Dialect) {}

  /** The newest, the oldest of them first. */
  async find({ accountId, since, max }: AuditQuery): Promise<AuditEntry[]> {
    const conditions = [
      ...(accountId === undefined ? [] : [{ sql: 'account_id = ?', value: accountId }]),
      ...(since === undefined ? [] : [{ sql: 'datetime >= ?', value: since }]),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}` : '';
    const values = [...conditions.map(({ value }) => value), max];
    const rows = await this.dialect.readNamed(`SELECT ${COLUMNS} FROM audit ${where} ORDER BY id DESC LIMIT ?`, values);
    return rows.map((row) => ({ ...row, id: Number(row.id) }) as unknown as AuditEntry).reverse(); // MySQL's driver gives 64 bits as a text
  }
}
