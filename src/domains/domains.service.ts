import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page';
import { type Columns, Records, type RecordTable } from '../database/records';
import { timestamp } from '../database/time';
import { UniqueViolation } from '../database/transactions';
import { RequestError } from '../http/request-error';
import type { CreateDomain, DomainRecord, UpdateDomain } from './domain.dto';
import type { Domain } from './domain.entity';

const DOMAINS: RecordTable<DomainRecord> = {
  table: 'domains',
  noun: 'domain',
  columns: 'id, scheme, host, custom_index_url, is_enabled, last_datetime, datetime',
  toRecord: ([id, scheme, host, custom_index_url, is_enabled, last_datetime, datetime]) =>
    ({ id, scheme, host, custom_index_url, is_enabled: is_enabled === 1, last_datetime, datetime }) as DomainRecord,
};

@Injectable()
export class DomainsService {
  constructor(private readonly records: Records) {}

  findPage(accountId: number, page: PageRequest): Promise<Page<DomainRecord>> {
    return this.records.findPage(DOMAINS, accountId, page);
  }

  /** @throws RecordNotFound */
  find(accountId: number, id: number): Promise<DomainRecord> {
    return this.records.find(DOMAINS, accountId, id);
  }

  /** @throws RequestError 409 host_taken */
  async create(accountId: number, input: CreateDomain): Promise<{ id: number }> {
    const domain = {
      account_id: accountId,
      scheme: 'https://',
      custom_index_url: '',
      custom_not_found_url: '',
      ...input,
      is_enabled: true,
      datetime: timestamp(),
    } satisfies Partial<Domain>;
    return { id: await this.records.insert(DOMAINS, domain).catch(refuseTakenHost) };
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

  private write(which: Columns, changes: object): Promise<void> {
    return this.records.update(DOMAINS, which, { ...(changes as Columns), last_datetime: timestamp() });
  }
}

function refuseTakenHost(error: unknown): never {
  if (!(error instanceof UniqueViolation)) throw error;
  throw RequestError.of('host_taken', 'This host is taken; a host belongs to one domain of the service.', { in: 'form', name: 'host' });
}
