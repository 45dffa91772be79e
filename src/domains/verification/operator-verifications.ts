import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { OperatorError } from '../../auth/accounts/accounts.service';
import { Clock } from '../../platform/common/clock';
import { operatorContext } from '../../platform/common/write-context';
import { logAuditedEvent, type NewEvent, causedBy } from '../../platform/database/events/event-log';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { Domain } from '../domain.entity';
import { DomainsService } from '../domains.service';
import { DomainVerification, type VerificationState } from './domain-verification.entity';
import type { VerificationStatus } from './verification-status';
import { operatorVerifiedState, unverifiedState } from './verification-state';
import { toTimestamp } from './verification.dto';
import { VerificationTable } from './verification-table';
import { VerificationsService } from './verifications.service';
import { RecordNotFound } from '../../platform/common/errors';

/** A domain that other software inserted has no verification yet, and is pending. */
type VerifiedDomain = Domain & { verification?: DomainVerification };

/** Operator commands for the domains of any account. */
@Injectable()
export class OperatorVerifications {
  constructor(
    private readonly table: VerificationTable,
    private readonly domains: DomainsService,
    private readonly verifications: VerificationsService,
    @InjectRepository(Domain) private readonly rows: Repository<Domain>,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Sorted by ascending id. */
  async list({ accountId, status }: { accountId?: number; status?: VerificationStatus }) {
    const query = this.query().orderBy('domain.id');
    if (accountId !== undefined) query.andWhere({ account_id: accountId });
    if (status !== undefined) query.andWhere("COALESCE(verification.status, 'pending') = :status", { status });
    return (await query.getMany()).map(toListed);
  }

  /** A domain with its verification, as its account sees it. @throws RecordNotFound */
  async show(id: number) {
    const domain = await this.query().where({ id }).getOne();
    if (!domain) throw new RecordNotFound('domain');
    const listed = toListed(domain);
    const { records, problems } = await this.verifications.find(listed.account_id, id);
    return { ...listed, records, problems };
  }

  /** Verifies without DNS, until the host changes or `unverify` is called. @throws RecordNotFound */
  async verify(domainId: number): Promise<void> {
    await this.executor.run((transaction) => this.verifyWithin(transaction, domainId));
  }

  /** Makes a verified domain pending, with a new series of checks. Returns false if it wasn't verified. @throws RecordNotFound */
  unverify(domainId: number): Promise<boolean> {
    const newState = (state: VerificationState, now: number) => (state.status === 'verified' ? unverifiedState(now) : undefined);
    return this.executor.run((transaction) => this.applyChange(transaction, domainId, 'unverify', newState));
  }

  verifyWithin(transaction: Transaction, domainId: number): Promise<boolean> {
    return this.applyChange(transaction, domainId, 'verify', operatorVerifiedState);
  }

  /**
   * Deletes the domain that has the host, in any account, so that the host's owner can create it.
   * @throws OperatorError when no domain has the host, when it is verified and `isForced` is false, or when it is renamed meanwhile
   */
  async release(host: string, isForced: boolean): Promise<{ id: number; accountId: number }> {
    const domain = await this.rows.findOneBy({ host });
    if (!domain) throw new OperatorError(`There is no domain with the host ${host}.`);
    const { id, account_id: accountId } = domain;
    await this.domains.delete(operatorContext(accountId), id, async (statements) => {
      if ((await this.table.lockDomain(statements, id)).host !== host)
        throw new OperatorError(`Domain ${id} has just been renamed; ${host} is no longer its host.`);
      const verification = await this.table.lock(statements, { domain_id: id }); // so that no check verifies it meanwhile
      if (!isForced && verification?.state.status === 'verified')
        throw new OperatorError(`${host} is verified. To release it anyway, add --force.`);
    });
    return { id, accountId };
  }

  private query(): SelectQueryBuilder<VerifiedDomain> {
    const isCurrent = 'verification.domain_id = domain.id AND verification.host = domain.host';
    return this.rows.createQueryBuilder('domain').leftJoinAndMapOne('domain.verification', DomainVerification, 'verification', isCurrent);
  }

  private async applyChange(
    transaction: Transaction,
    domainId: number,
    action: NewEvent['action'],
    change: (state: VerificationState, now: number) => VerificationState | undefined,
  ): Promise<boolean> {
    const verification = await this.table.lockOrInsert(transaction, domainId);
    const after = change(verification.state, this.clock.now());
    if (!after) return false;
    const context = operatorContext(verification.account_id);
    await this.table.update(transaction, verification, after, { ...causedBy(context), isAudited: true });
    // Audited even if the status stays the same: DNS may have verified the domain before.
    if (after.status === verification.state.status)
      await logAuditedEvent(transaction, context, { action, record: 'domain', recordId: domainId });
    return true;
  }
}

function toListed({ id, account_id, host, is_enabled, verification }: VerifiedDomain) {
  const { status = 'pending', isByOperator = false, checked = null, due = null, problems = [] } = verification?.state ?? {};
  const codes = new Set(problems.map(({ code }) => code)); // unreachable name servers are reported for both TXT and addresses
  const times = { checked: toTimestamp(checked), next_check: toTimestamp(due) };
  return { id, account_id, host, is_enabled, status, is_by_operator: isByOperator, ...times, problems: [...codes] };
}
