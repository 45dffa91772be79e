import { Injectable } from '@nestjs/common';
import { RecordLimits } from '../auth/accounts/record-limits';
import { type WriteContext, operatorContext } from '../common/write-context';
import type { Page, Versioned } from '../common/records';
import type { ListRequest } from '../database/records/page-reader';
import type { InsertHooks, RecordHook } from '../database/records/record-table';
import { Records } from '../database/records/records';
import { UniqueViolation } from '../database/writes/transactions';
import { RequestError } from '../http/errors/request-error';
import { type CreateDomain, DomainRecord, type UpdateDomain } from './domain.dto';
import { Domain } from './domain.entity';
import { VerificationHooks } from './verification/verification-hooks';

@Injectable()
export class DomainsService {
  private readonly table = this.records.table<DomainRecord>(Domain, DomainRecord);

  constructor(
    private readonly records: Records,
    private readonly hooks: VerificationHooks,
    private readonly limits: RecordLimits,
  ) {}

  findPage(accountId: number, page: ListRequest): Promise<Page<DomainRecord>> {
    return this.records.findPage(this.table, accountId, page);
  }

  /** @throws RecordNotFound */
  find(accountId: number, id: number): Promise<Versioned<DomainRecord>> {
    return this.records.find(this.table, accountId, id);
  }

  /** @throws RequestError 409 host_taken, 409 limit_reached */
  create(context: WriteContext, input: CreateDomain): Promise<number> {
    return this.records
      .insert(this.table, context, { ...input }, { before: this.checkLimit, after: this.hooks.afterInsert })
      .catch(refuseTakenHost);
  }

  /** @throws RecordNotFound, StaleVersion, RequestError 409 host_taken */
  update(context: WriteContext, id: number, changes: UpdateDomain): Promise<number> {
    const afterUpdate = changes.host === undefined ? this.hooks.noteChange : this.hooks.afterHostUpdate;
    return this.records.update(this.table, context, id, { ...changes }, afterUpdate).catch(refuseTakenHost);
  }

  /** For the operator, in any account. @throws RecordNotFound */
  async setEnabled(id: number, is_enabled: boolean): Promise<void> {
    const context = operatorContext(await this.records.findAccount(this.table, id));
    await this.records.update(this.table, context, id, { is_enabled }, this.hooks.noteChange);
  }

  /** @throws RecordNotFound, StaleVersion */
  delete(context: WriteContext, id: number, beforeDelete: RecordHook = async () => {}): Promise<number> {
    return this.records.delete(this.table, context, id, async (statements) => {
      await beforeDelete(statements, id);
      await this.hooks.noteChange(statements, id);
    });
  }

  private readonly checkLimit: InsertHooks['before'] = (statements, accountId) => this.limits.check(statements, accountId, 'domains');
}

function refuseTakenHost(error: unknown): never {
  if (!(error instanceof UniqueViolation)) throw error;
  throw RequestError.of('host_taken', 'This host is taken; a host belongs to one domain of the service.', { in: 'form', name: 'host' });
}
