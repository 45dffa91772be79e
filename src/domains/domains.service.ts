import { Injectable } from '@nestjs/common';
import { RecordLimits } from '../auth/accounts/record-limits';
import { type WriteContext, operatorContext } from '../platform/common/write-context';
import type { Page, Versioned } from '../platform/common/records';
import { Config } from '../platform/config/config';
import { type DescribedEvent, type EventText, fieldList, RECORD_ACTIONS } from '../platform/database/events/event-types';
import type { InsertHooks, RecordHook, RecordTable } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import { UniqueViolation } from '../platform/database/writes/transactions';
import { RequestError } from '../platform/common/errors';
import {
  type CreateDomain,
  type DomainQuery,
  DomainRecord,
  type DomainSettings,
  type ListedDomain,
  StoredDomain,
  type UpdateDomain,
} from './domain.dto';
import { Domain } from './domain.entity';
import type { Problem } from './verification/domain-verification.entity';
import { insertVerification } from './verification/new-verification';
import { VerificationTable } from './verification/verification-table';

@Injectable()
export class DomainsService {
  private readonly table: RecordTable<DomainRecord>;
  /** Yields the same version as `table`, since the columns of both are in the same order. */
  private readonly storedTable: RecordTable<StoredDomain>;

  constructor(
    private readonly records: Records,
    private readonly verifications: VerificationTable,
    private readonly limits: RecordLimits,
    private readonly config: Config,
  ) {
    this.table = records.table<DomainRecord>(Domain, DomainRecord, {
      noun: 'domain',
      events: [...RECORD_ACTIONS, 'verify', 'unverify', 'fail', 'certificate'],
      describeEvent: async (event, domain, accountId) =>
        describeDomain(event, domain, domain ? await this.verifications.findProblems(accountId, domain.id) : []),
    });
    this.storedTable = records.table<StoredDomain>(Domain, StoredDomain, { noun: 'domain' });
  }

  async findPage(accountId: number, query: DomainQuery): Promise<Page<ListedDomain>> {
    const page = await this.records.findPage(this.table, accountId, query);
    if (query.include === undefined || page.records.length === 0) return page;
    const states = await this.verifications.findStates(accountId, page.records);
    return page.withRecords(page.records.map((record, index) => ({ ...record, verification: states[index] })));
  }

  /** @throws RecordNotFound */
  find(accountId: number, id: number): Promise<Versioned<DomainRecord>> {
    return this.records.find(this.table, accountId, id);
  }

  /** Returns the settings with the domain's version, so that an update's `If-Match` accepts it. @throws RecordNotFound */
  async findSettings(accountId: number, id: number): Promise<Versioned<DomainSettings>> {
    const { record, version } = await this.records.find(this.storedTable, accountId, id);
    const { custom_index_url, custom_not_found_url } = record;
    return { record: { custom_index_url, custom_not_found_url }, version };
  }

  /** @throws RequestError 409 host_taken, 409 limit_reached */
  create(context: WriteContext, input: CreateDomain): Promise<number> {
    const after: RecordHook = (statements, id, { accountId: account_id }) =>
      insertVerification(statements, { id, account_id, host: input.host });
    return this.records.insert(this.table, context, { ...input }, { before: this.checkLimit, after }).catch(refuseTakenHost);
  }

  /** @throws RecordNotFound, StaleVersion, RequestError 409 host_taken */
  update(context: WriteContext, id: number, changes: UpdateDomain): Promise<number> {
    const afterUpdate = changes.host === undefined ? addHostToEvent : this.verifications.afterHostUpdate;
    return this.records.update(this.table, context, id, { ...changes }, afterUpdate).catch(refuseTakenHost);
  }

  /** For the operator, in any account. @throws RecordNotFound */
  async setEnabled(id: number, is_enabled: boolean): Promise<void> {
    const context = operatorContext(await this.records.findAccount(this.table, id));
    await this.records.update(this.table, context, id, { is_enabled }, addHostToEvent);
  }

  /** @throws RecordNotFound, StaleVersion */
  delete(context: WriteContext, id: number, beforeDelete: RecordHook = () => Promise.resolve()): Promise<number> {
    return this.records.delete(this.table, context, id, async (statements, ...domain) => {
      await beforeDelete(statements, ...domain);
      return { host: (await this.verifications.lockDomain(statements, id)).host };
    });
  }

  private readonly checkLimit: InsertHooks['before'] = (statements, accountId) =>
    this.limits.check(statements, accountId, this.table, this.config.domains.max);
}

/** Stores the host in the event, so that the edge reloads it. */
const addHostToEvent: RecordHook = (_, id) => Promise.resolve({ host: { sql: '(SELECT host FROM domains WHERE id = ?)', values: [id] } });

function refuseTakenHost(error: unknown): never {
  if (!(error instanceof UniqueViolation)) throw error;
  throw RequestError.of('host_taken', 'This host is taken; a host belongs to one domain of the service.', { in: 'form', name: 'host' });
}

/** Describes a domain's event in plain language. `problems`: found by the last check. `domain`: null once deleted. */
export function describeDomain(
  { type, actor, data }: DescribedEvent,
  domain: DomainRecord | null,
  problems: readonly Problem[],
): EventText | undefined {
  if (type === 'domain.deleted')
    return { title: 'Domain deleted', text: `${typeof data.host === 'string' ? data.host : 'A domain'} was deleted: visitors get a 404.` };
  if (!domain) return undefined;
  const { host } = domain;
  switch (type) {
    case 'domain.created':
      return { title: 'Domain created', text: `${host} was added. It is served once its TXT record is found in DNS.` };
    case 'domain.updated':
      return { title: 'Domain changed', text: `${host} was changed: ${fieldList(data.changed)}.` };
    case 'domain.verified':
      return { title: 'Domain verified', text: `${host} is verified${describeRedirect(domain, problems)}`, url: `${domain.scheme}${host}` };
    case 'domain.unverified':
      return { title: 'Domain lost its proof', text: `${host} ${describeLoss(actor.type)}, visitors get a 404.` };
    case 'domain.failed':
      return {
        title: 'Domain not verified',
        text: `The TXT record of ${host} was not found for a week. Set the record, then verify the domain again.`,
      };
    case 'domain.certificate':
      return describeCertificate(domain, data.problem, problems);
  }
  return undefined;
}

function describeCertificate({ scheme, host }: DomainRecord, problem: unknown, problems: readonly Problem[]): EventText {
  const url = `${scheme}${host}`;
  if (problem === null) return { title: 'Certificate OK', text: `${host} no longer has a certificate problem.`, url };
  const found = problems.find(({ code }) => code === problem);
  const text = found ? `${host}: ${found.detail}` : `${host} had a certificate problem, which has changed since.`;
  return { title: 'Certificate problem', text, url };
}

function describeRedirect({ is_enabled, custom_index_url }: DomainRecord, problems: readonly Problem[]): string {
  if (!is_enabled) return ', but switched off: visitors get a 404 until it is enabled.';
  if (problems.some(({ code }) => code === 'target_missing' || code === 'target_differs'))
    return ", but doesn't point here yet: set its DNS records.";
  if (custom_index_url === '') return ', but has no URL to send visitors to: set custom_index_url.';
  return `: visitors are sent to ${custom_index_url}.`;
}

/** `service`: a check no longer found the TXT record. Otherwise a key changed the host, or an operator asked for a new verification. */
function describeLoss(actor: DescribedEvent['actor']['type']): string {
  if (actor === 'service') return 'no longer has the TXT record that proves its ownership. Until it is back';
  return 'is no longer verified. Until its TXT record is found';
}
