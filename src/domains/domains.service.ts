import { Injectable } from '@nestjs/common';
import { type WriteContext, operatorContext } from '../common/write-context';
import type { Page, PageRequest } from '../common/page';
import { type Columns, Records, type RecordTable } from '../database/records/records';
import { timestamp } from '../common/time';
import { UniqueViolation } from '../database/writes/transactions';
import type { Versioned } from '../common/version';
import { RequestError } from '../http/errors/request-error';
import type { CreateDomain, DomainRecord, UpdateDomain } from './domain.dto';
import type { Domain } from './domain.entity';

const DOMAINS: RecordTable<DomainRecord> = {
  table: 'domains',
  noun: 'domain',
  columns: 'id, scheme, host, custom_index_url, is_enabled, last_datetime, datetime',
  hidden: 'custom_not_found_url',
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
  find(accountId: number, id: number): Promise<Versioned<DomainRecord>> {
    return this.records.find(DOMAINS, accountId, id);
  }

  /** @throws RequestError 409 host_taken */
  create(context: WriteContext, input: CreateDomain): Promise<number> {
    const domain = {
      scheme: 'https://',
      custom_index_url: '',
      custom_not_found_url: '',
      ...input,
      is_enabled: true,
      datetime: timestamp(),
    } satisfies Partial<Domain>;
    return this.records.insert(DOMAINS, context, domain).catch(refuseTakenHost);
  }

  /** @throws RecordNotFound, StaleVersion, RequestError 409 host_taken */
  update(context: WriteContext, id: number, changes: UpdateDomain): Promise<number> {
    const isEmpty = Object.keys(changes).length === 0;
    const columns = isEmpty ? {} : { ...(changes as Columns), last_datetime: timestamp() };
    return this.records.update(DOMAINS, context, id, columns).catch(refuseTakenHost);
  }

  /** For the operator, in any account. @throws RecordNotFound */
  async setEnabled(id: number, is_enabled: boolean): Promise<void> {
    const context = operatorContext(await this.records.findAccount(DOMAINS, id));
    await this.records.update(DOMAINS, context, id, { is_enabled, last_datetime: timestamp() });
  }

  /** @throws RecordNotFound, StaleVersion */
  delete(context: WriteContext, id: number): Promise<number> {
    return this.records.delete(DOMAINS, context, id);
  }
}

function refuseTakenHost(error: unknown): never {
  if (!(error instanceof UniqueViolation)) throw error;
  throw RequestError.of('host_taken', 'This host is taken; a host belongs to one domain of the service.', { in: 'form', name: 'host' });
}
