import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  DataSource,
  type EntitySubscriberInterface,
  type FindOperator,
  type FindOptionsWhere,
  In,
  type InsertEvent,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { type Actor, causedBy, byService, logEvents } from '../../platform/database/events/event-log';
import type { RecordHook } from '../../platform/database/records/record-table';
import type { Transaction } from '../../platform/database/writes/transactions';
import { rowLock } from '../../platform/database/row-lock';
import { Domain } from '../domain.entity';
import { DomainVerification, type Problem, type VerificationState } from './domain-verification.entity';
import type { VerificationStatus } from './verification-status';
import { INSERT_IF_MISSING } from './new-verification';
import { type DomainState, toDomainState } from './verification.dto';
import { certificateProblem, newSeries } from './verification-state';
import { RecordNotFound } from '../../platform/common/errors';

/** The state of a domain without a row. */
const STATE_WITHOUT_ROW: VerificationState = { ...newSeries(0), due: null };

/** Reads and writes verifications. A domain's row is inserted, changed and deleted in the transaction that does the same to the domain. */
@Injectable()
export class VerificationTable implements EntitySubscriberInterface<Domain> {
  constructor(
    @InjectRepository(Domain) private readonly domains: Repository<Domain>,
    @InjectRepository(DomainVerification) private readonly verifications: Repository<DomainVerification>,
    private readonly clock: Clock,
    dataSource: DataSource,
  ) {
    dataSource.subscribers.push(this);
  }

  listenTo = () => Domain;

  /** Handles domains that TypeORM inserts. A query builder may not know the id; the verification is then inserted when first needed. */
  async afterInsert({ entity, queryRunner }: InsertEvent<Domain>): Promise<void> {
    if (entity.id) await this.insertMissing(queryRunner, entity.id);
  }

  /** Undefined for a domain that other software inserted. @throws RecordNotFound */
  async find(accountId: number, domainId: number): Promise<DomainVerification | undefined> {
    const domain = await this.domains.findOneBy({ account_id: accountId, id: domainId });
    if (!domain) throw new RecordNotFound('domain');
    return (await this.verifications.findOneBy({ domain_id: domainId, host: domain.host })) ?? undefined;
  }

  /** The states of an account's domains, in the same order. A domain without a row is pending. */
  async findStates(accountId: number, domains: readonly { id: number; host: string }[]): Promise<DomainState[]> {
    const rows = await this.verifications.findBy({ account_id: accountId, domain_id: In(domains.map(({ id }) => id)) });
    const found = new Map(rows.map((verification) => [verification.domain_id, verification]));
    return domains.map(({ id, host }) => {
      const verification = found.get(id);
      return toDomainState(verification?.host === host ? verification.state : STATE_WITHOUT_ROW);
    });
  }

  /** Problems that the last check found; empty if the domain is deleted. */
  async findProblems(accountId: number, domainId: number): Promise<readonly Problem[]> {
    const found = await this.find(accountId, domainId).catch(ignoreDeleted);
    return found?.state.problems ?? [];
  }

  /** Whether the host's domain is enabled; hosts are unique across accounts. */
  isEnabled(host: string): Promise<boolean> {
    return this.domains.existsBy({ host, is_enabled: true });
  }

  /** @throws RecordNotFound */
  async lockDomain({ manager }: Transaction, id: number): Promise<Domain> {
    const domain = await manager.findOne(Domain, { where: { id }, lock: rowLock(manager) });
    if (!domain) throw new RecordNotFound('domain');
    return domain;
  }

  async lock({ manager }: Transaction, where: { id: number } | { domain_id: number }): Promise<DomainVerification | null> {
    return manager.findOne(DomainVerification, { where, lock: rowLock(manager) });
  }

  /** Locks the domain's verification; creates it if other software inserted the domain. @throws RecordNotFound */
  async lockOrInsert(transaction: Transaction, domainId: number): Promise<DomainVerification> {
    await this.lockDomain(transaction, domainId);
    const found = await this.lock(transaction, { domain_id: domainId });
    if (found) return found;
    await this.insertMissing(transaction.manager, domainId);
    return (await this.lock(transaction, { domain_id: domainId }))!;
  }

  /** Call in the transaction that has locked the row. Logs a change of status, and of the certificate's problem, as events. */
  async update(
    transaction: Transaction,
    verification: DomainVerification,
    after: VerificationState,
    by: Actor,
  ): Promise<DomainVerification> {
    const { id, domain_id: recordId, account_id, host, state: before } = verification;
    const isLiveChanged = (before.status === 'verified') !== (after.status === 'verified');
    const action = statusChangeAction(before.status, after.status);
    if (action) await logEvents(transaction, by, [{ action, record: 'domain', recordId, host: isLiveChanged ? host : undefined }]);
    const [previousProblem, problem] = [before, after].map((state) => certificateProblem(state)?.code ?? null);
    if (problem !== previousProblem)
      await logEvents(transaction, by, [{ action: 'certificate', record: 'domain', recordId, data: { problem } }]);
    const update = transaction.manager.createQueryBuilder().update(DomainVerification).set({ state: after });
    await update.where({ id }).callListeners(false).execute(); // lists show only the status
    if (after.status !== before.status) await transaction.changed(account_id, { domain_verifications: { updated: 1 } });
    return { ...verification, state: after };
  }

  /** Call after an update that writes the host. A new host has to be verified again. */
  readonly afterHostUpdate: RecordHook = async (transaction, domainId, context) => {
    const before = await this.lock(transaction, { domain_id: domainId }); // so that no check verifies the old host meanwhile
    const domain = await this.lockDomain(transaction, domainId);
    if (!before || before.host === domain.host) return { host: before?.host };
    const deletion = transaction.manager.createQueryBuilder().delete().from(DomainVerification);
    await deletion.where({ id: before.id }).callListeners(false).execute();
    await this.insertMissing(transaction.manager, domainId);
    if (before.state.status === 'verified')
      await logEvents(transaction, causedBy(context), [{ action: 'unverify', record: 'domain', recordId: domainId }]);
    return { host: before.host };
  };

  /** Makes the edge stop serving the domains' hosts. Call it in the transaction that then deletes the domains with their account. */
  async logDeletion(transaction: Transaction, accountId: number, { id: domain_id }: FindOptionsWhere<Domain>): Promise<void> {
    const { manager } = transaction;
    const where = { account_id: accountId, ...(domain_id !== undefined && { domain_id: domain_id as FindOperator<number> }) };
    const deleted = await manager.find(DomainVerification, { where, lock: rowLock(manager) });
    const verified = deleted.filter(({ state }) => state.status === 'verified');
    const events = verified.map(({ host, domain_id: recordId }) => ({ action: '', record: 'domain', recordId, host })); // no action: only the edge reads these events
    await logEvents(transaction, byService(accountId), events);
  }

  private async insertMissing(runner: Pick<QueryRunner, 'query'>, domainId: number): Promise<void> {
    const now = this.clock.now();
    await runner.query(INSERT_IF_MISSING, [now, now, domainId]);
  }
}

/** Undefined if no event is logged: the status is unchanged, or changes from failed to pending. */
function statusChangeAction(before: VerificationStatus, after: VerificationStatus): string | undefined {
  if (before === after) return undefined;
  if (after === 'verified') return 'verify';
  if (before === 'verified') return 'unverify';
  return after === 'failed' ? 'fail' : undefined;
}

function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof RecordNotFound)) throw error;
}
