import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, type Repository } from 'typeorm';
import { AuditEntry } from './audit-entry.entity';

export interface AuditQuery {
  accountId?: number;
  /** `YYYY-MM-DD HH:MM:SS`, or the beginning of it. */
  since?: string;
  most: number;
}

/** Reads the audit. */
@Injectable()
export class AuditLog {
  constructor(@InjectRepository(AuditEntry) private readonly entries: Repository<AuditEntry>) {}

  /** The newest, the oldest of them first. */
  async find({ accountId, since, most }: AuditQuery): Promise<AuditEntry[]> {
    const entries = await this.entries.find({
      where: {
        ...(accountId === undefined ? {} : { account_id: accountId }),
        ...(since === undefined ? {} : { datetime: MoreThanOrEqual(since) }),
      },
      order: { id: 'DESC' },
      take: most,
    });
    return entries.reverse();
  }
}
