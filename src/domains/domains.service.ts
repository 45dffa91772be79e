import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page';
import { RecordNotFound, Records, type RecordTable } from '../database/records';
import { timestamp } from '../database/time';
import { Transactions, UniqueViolation } from '../database/transactions';
import { RequestError } from '../http/request-error';
import type { CreateDomain, DomainRecord, UpdateDomain } from './domain.dto';
import { Domain } from './domain.entity';

const DOMAINS: RecordTable<DomainRecord> = {
  table: 'domains',
  noun: 'domain',
  columns: 'id, scheme, host, custom_index_url, is_enabled, last_datetime, datetime',
  toRecord: ([id, scheme, host, custom_index_url, is_enabled, last_datetime, datetime]) =>
    ({ id, scheme, host, custom_index_url, is_enabled: is_enabled === 1, last_datetime, datetime }) as DomainRecord,
};

@Injectable()
export class DomainsService {
  constructor(
    private readonly records: Records,
    private readonly transactions: Transactions,
  ) {}

  findPage(accountId: number, page: PageRequest): Promise<Page<DomainRecord>> {
    return this.records.findPage(DOMAINS, accountId, page);
  }

  /** @throws RecordNotFound */
  find(accountId: number, id: number): Promise<DomainRecord> {
    return this.records.find(DOMAINS, accountId, id);
  }

  /** @throws RequestError 409 host_taken */
  async create(accountId: number, input: CreateDomain): Promise<{ id: number }> {
    const domain: Partial<Domain> = {
      account_id: accountId,
      scheme: 'https://',
      custom_index_url: '',
      custom_not_found_url: '',
      ...input,
      is_enabled: true,
      datetime: timestamp(),
    };
    await this.transactions.runStatement((manager) => manager.insert(Domain, domain)).catch(refuseTakenHost);
    return { id: domain.id! };
  }

  /** @throws RecordNotFound, RequestError 409 host_taken */
  async update(accountId: number, id: number, changes: UpdateDomain): Promise<{ id: number }> {
    if (Object.keys(changes).length === 0) await this.find(accountId, id);
    else await this.write({ account_id: accountId, id }, changes).catch(refuseTakenHost);
    return { id };
  }

  /** For the operator, in any account. @throws RecordNotFound */
  setEnabled(id: number, is_enabled: boolean): Promise<void> {
    return this.write({ id }, { is_enabled });
  }

  /** @throws RecordNotFound */
  async delete(accountId: number, id: number): Promise<{ id: number }> {
    await this.records.delete(DOMAINS, accountId, id);
    return { id };
  }

  private async write(which: { account_id?: number; id: number }, changes: Partial<Domain>): Promise<void> {
    const { affected } = await this.transactions.runStatement((manager) =>
      manager.update(Domain, which, { ...changes, last_datetime: timestamp() }),
    );
    if (!affected) throw new RecordNotFound(DOMAINS.noun);
  }
}

function refuseTakenHost(error: unknown): never {
  if (!(error instanceof UniqueViolation)) throw error;
  throw RequestError.of('host_taken', 'This host is taken; a host belongs to one domain of the service.', { in: 'form', name: 'host' });
}
