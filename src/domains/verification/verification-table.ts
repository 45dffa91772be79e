import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import { type Actor, because, byService, logEvents } from '../../platform/database/events/audit';
import { countChanges } from '../../platform/database/lists/list-changes';
import type { RecordHook } from '../../platform/database/records/record-table';
import { RecordNotFound } from '../../platform/database/records/records';
import { inList } from '../../platform/database/value-lists';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { rowLock } from '../../platform/database/row-lock';
import { Domain } from '../domain.entity';
import { DomainVerification, type Problem, type VerificationState, type VerificationStatus } from './domain-verification.entity';
import { type DomainState, toDomainState } from './verification.dto';
import { certificateProblem, newSeries } from './verification-state';

/** By hand, as creates measure it (bench/HISTORY.md). */
const INSERT = `INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, started, checks, due, misses, problems)
  SELECT account_id, id, host, 'pending', 0, ?, 0, ?, 0, '[]' FROM domains
  WHERE NOT EXISTS (SELECT 1 FROM domain_verifications WHERE domain_id = domains.id) AND id IN`;
/** An account is disabled before its verifications are deleted; without this condition, they would be inserted again. */
export const OF_ENABLED_ACCOUNT = '(SELECT disabled_datetime FROM accounts WHERE accounts.id = domains.account_id) IS NULL';
/** Rows of a deleted account per transaction, to keep locks short. */
const MAX_ENDED = 500;

/** The state of a domain without a row. */
const UNKNOWN: VerificationState = { ...newSeries(0), due: null };

/** Reads and writes verifications. A change or deletion of a domain changes or deletes its row in the same transaction. */
@Injectable()
export class VerificationTable {
  constructor(
    @InjectRepository(Domain) private readonly domains: Repository<Domain>,
    @InjectRepository(DomainVerification) private readonly verifications: Repository<DomainVerification>,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Undefined for a new domain. @throws RecordNotFound */
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
      return toDomainState(verification?.host === host ? verification.state : UNKNOWN);
    });
  }

  /** Problems that the last check found; none if the domain is gone. */
  async findProblems(accountId: number, domainId: number): Promise<readonly Problem[]> {
    const found = await this.find(accountId, domainId).catch(ignoreDeleted);
    return found?.state.problems ?? [];
  }

  /** Whether visitors of the host can be redirected: hosts are unique. */
  isEnabled(host: string): Promise<boolean> {
    return this.domains.existsBy({ host, is_enabled: true });
  }

  /** Locks a domain and returns its host. @throws RecordNotFound */
  async lockDomain(statements: SqlExecutor, id: number): Promise<string> {
    const manager = this.executor.managerOf(statements);
    const domain = await manager.findOne(Domain, { where: { id }, lock: rowLock(manager) });
    if (!domain) throw new RecordNotFound('domain');
    return domain.host;
  }

  async lock(statements: SqlExecutor, where: { id: number } | { domain_id: number }): Promise<DomainVerification | null> {
    const manager = this.executor.managerOf(statements);
    return manager.findOne(DomainVerification, { where, lock: rowLock(manager) });
  }

  /** Locks the domain's verification; creates it if it is missing. @throws RecordNotFound */
  async ensure(statements: SqlExecutor, domainId: number): Promise<DomainVerification> {
    await this.lockDomain(statements, domainId);
    const found = await this.lock(statements, { domain_id: domainId });
    if (found) return found;
    await this.insert(statements, [domainId]);
    return (await this.lock(statements, { domain_id: domainId }))!;
  }

  /** Inserts missing rows. Locks the domains first, so that no other transaction deletes them or inserts their rows. */
  async insertMissing(statements: SqlExecutor, domainIds: readonly number[]): Promise<void> {
    const { sql, values } = inList(domainIds);
    const find = `SELECT id FROM domains WHERE id IN ${sql} AND ${OF_ENABLED_ACCOUNT}${this.dialect.sql.forUpdate}`;
    const ids = (await statements.read<[id: number]>(find, values)).map(([id]) => id);
    if (ids.length > 0) await this.insert(statements, ids);
  }

  private async insert(statements: SqlExecutor, domainIds: readonly number[]): Promise<void> {
    const [now, { sql, values }] = [this.clock.now(), inList(domainIds)];
    await statements.write(`${INSERT} ${sql}`, [now, now, ...values]);
  }

  /** Call in the transaction that has locked the row. Logs a change of status, and of the certificate's problem, as events. */
  async update(
    statements: SqlExecutor,
    verification: DomainVerification,
    after: VerificationState,
    by: Actor,
  ): Promise<DomainVerification> {
    const { id, domain_id: recordId, account_id, host, state: before } = verification;
    const isLiveChanged = (before.status === 'verified') !== (after.status === 'verified');
    const action = actionOf(before.status, after.status);
    if (action) await logEvents(statements, by, [{ action, record: 'domain', recordId, host: isLiveChanged ? host : undefined }]);
    const [known, problem] = [before, after].map((state) => certificateProblem(state)?.code ?? null);
    if (problem !== known) await logEvents(statements, by, [{ action: 'certificate', record: 'domain', recordId, data: { problem } }]);
    const update = this.executor.managerOf(statements).createQueryBuilder().update(DomainVerification).set({ state: after });
    await update.where({ id }).callListeners(false).execute(); // a list is changed by the status alone
    if (after.status !== before.status) await countChanges(this.dialect, statements, account_id, { domain_verifications: { updated: 1 } });
    return { ...verification, state: after };
  }

  /** Call after an update that writes the host. A new host has to be verified again. */
  readonly afterHostUpdate: RecordHook = async (statements, domainId, context) => {
    const before = await this.lock(statements, { domain_id: domainId }); // so that no check verifies the old host meanwhile
    if (!before || before.host === (await this.lockDomain(statements, domainId))) return { host: before?.host };
    await this.delete(statements, [before.id]);
    await this.insert(statements, [domainId]);
    if (before.state.status === 'verified')
      await logEvents(statements, because(context), [{ action: 'unverify', record: 'domain', recordId: domainId }]);
    return { host: before.host };
  };

  /**
   * While an account is deleted: stops serving its hosts, and keeps checks in progress from verifying them. Handles one batch;
   * returns whether there may be more.
   */
  async endOfAccount(statements: SqlExecutor, accountId: number): Promise<boolean> {
    const manager = this.executor.managerOf(statements);
    const ended = await manager.find(DomainVerification, { where: { account_id: accountId }, take: MAX_ENDED, lock: rowLock(manager) });
    if (ended.length === 0) return false;
    const verified = ended.filter(({ state }) => state.status === 'verified');
    const events = verified.map(({ host, domain_id: recordId }) => ({ action: '', record: 'domain', recordId, host })); // for the edge
    await logEvents(statements, byService(accountId), events);
    const ids = ended.map(({ id }) => id);
    await this.delete(statements, ids);
    await countChanges(this.dialect, statements, accountId, { domain_verifications: { updated: ids.length } }); // no row: pending
    return ids.length === MAX_ENDED;
  }

  private async delete(statements: SqlExecutor, ids: readonly number[]): Promise<void> {
    const all = this.executor.managerOf(statements).createQueryBuilder().delete().from(DomainVerification);
    await all
      .where({ id: In(ids) })
      .callListeners(false)
      .execute();
  }
}

/** Undefined if there is no event: the status is the same, or goes from failed to pending. */
function actionOf(before: VerificationStatus, after: VerificationStatus): string | undefined {
  if (before === after) return undefined;
  if (after === 'verified') return 'verify';
  if (before === 'verified') return 'unverify';
  return after === 'failed' ? 'fail' : undefined;
}

export function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof RecordNotFound)) throw error;
}
