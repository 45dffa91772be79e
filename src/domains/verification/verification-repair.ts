import { Injectable } from '@nestjs/common';
import type { SqlExecutor } from '../../database/dialect';
import { VerificationHooks } from './verification-hooks';
import { type Verification, VerificationTable } from './verification-table';

/** Repairs the verifications of domains written by an older version, which lacks the hooks. */
@Injectable()
export class VerificationRepair {
  constructor(
    private readonly table: VerificationTable,
    private readonly hooks: VerificationHooks,
  ) {}

  /** Locks the domain's verification; creates it if it is missing or for another host. @throws RecordNotFound */
  async lock(statements: SqlExecutor, domainId: number): Promise<Verification> {
    const host = await this.table.lockDomain(statements, domainId);
    const found = await this.table.lock(statements, 'domain_id', domainId);
    if (found?.host === host) return found;
    await (found ? this.hooks.afterHostUpdate(statements, domainId) : this.hooks.afterInsert(statements, domainId));
    return (await this.table.lock(statements, 'domain_id', domainId))!;
  }
}
