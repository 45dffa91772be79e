import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import { type Actor, because, logEvents } from '../../platform/database/events/audit';
import { countChanges } from '../../platform/database/lists/list-changes';
import type { RecordHook } from '../../platform/database/records/record-table';
import { RecordNotFound } from '../../platform/database/records/records';
import { inList } from '../../platform/database/value-lists';
import { DomainChanges } from '../domain-changes';
import type { Problem, VerificationStatus } from './domain-verification.entity';
import { type DomainState, toDomainState } from './verification.dto';
import { newSeries, type VerificationState } from './verification-state';

/** A row of domain_verifications. A change of host replaces it, so that results for the old host are never written. */
export interface Verification {
  id: number;
  domainId: number;
  accountId: number;
  host: string;
  state: VerificationState;
}

/** A domain of an account; a new one has no verification yet. */
export interface DomainWithVerification {
  host: string;
  verification?: Verification;
}

const STATE = 'status, is_by_operator, begun, looks, checked, due, misses, last_miss, lost, problems';
const COLUMNS = `verification.id, verification.domain_id, verification.account_id, verification.host, ${STATE}`;
const FIND = `SELECT domains.host, ${COLUMNS} FROM domains LEFT JOIN domain_verifications verification
  ON verification.domain_id = domains.id AND verification.host = domains.host WHERE domains.account_id = ? AND domains.id = ?`;
const FIND_ALL = `SELECT ${COLUMNS} FROM domain_verifications verification WHERE verification.account_id = ? AND verification.domain_id IN`;
const LOCK = `SELECT ${COLUMNS} FROM domain_verifications verification WHERE verification`;
const UPDATE = `UPDATE domain_verifications SET ${STATE.replaceAll(',', ' = ?,')} = ? WHERE id = ?`;
const INSERT = `INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, begun, looks, due, misses, problems)
  SELECT account_id, id, host, 'pending', 0, ?, 0, ?, 0, '[]' FROM domains
  WHERE NOT EXISTS (SELECT 1 FROM domain_verifications WHERE domain_id = domains.id) AND id IN`;
/** An account is disabled before its verifications are deleted; without this condition, they would be inserted again. */
export const OF_ENABLED_ACCOUNT = '(SELECT disabled_datetime FROM accounts WHERE accounts.id = domains.account_id) IS NULL';
const DELETE_OF_OTHER_HOST = `DELETE FROM domain_verifications
  WHERE domain_id = ? AND host <> (SELECT host FROM domains WHERE domains.id = domain_verifications.domain_id)`;
/** Rows of a deleted account per transaction, to keep locks short. */
const MAX_ENDED = 500;

/** The state of a domain without a row. */
const UNKNOWN: VerificationState = { ...newSeries(0), due: null };

type VerificationRow = [
  ...[id: number, domainId: number, accountId: number, host: string],
  ...[status: VerificationStatus, isByOperator: number, started: number, checks: number, checked: number | null, due: number | null],
  ...[misses: number, lastMiss: number | null, lost: number | null, problems: string],
];

/** Reads and writes domain_verifications. A change or deletion of a domain changes or deletes its row in the same transaction. */
@Injectable()
export class VerificationTable {
  constructor(
    private readonly dialect: Dialect,
    private readonly changes: DomainChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, domainId: number): Promise<DomainWithVerification> {
    const [row] = await this.dialect.read<[host: string, ...(VerificationRow | null[])]>(FIND, [accountId, domainId]);
    if (!row) throw new RecordNotFound('domain');
    const [host, ...columns] = row;
    return { host, verification: columns[0] === null ? undefined : toVerification(columns as VerificationRow) };
  }

  /** The states of an account's domains, in the same order. A domain without a row is pending. */
  async findStates(accountId: number, domains: readonly { id: number; host: string }[]): Promise<DomainState[]> {
    const { sql, values } = inList(domains.map(({ id }) => id));
    const rows = await this.dialect.read<VerificationRow>(`${FIND_ALL} ${sql}`, [accountId, ...values]);
    const found = new Map(rows.map(toVerification).map((verification) => [verification.domainId, verification]));
    const now = this.clock.now();
    return domains.map(({ id, host }) => {
      const verification = found.get(id);
      return toDomainState(verification?.host === host ? verification.state : UNKNOWN, now);
    });
  }

  /** Problems that the last check found; none if the domain is gone. */
  async findProblems(accountId: number, domainId: number): Promise<readonly Problem[]> {
    const found = await this.find(accountId, domainId).catch(ignoreDeleted);
    return found?.verification?.state.problems ?? [];
  }

  /** Locks a domain and returns its host. @throws RecordNotFound */
  async lockDomain(statements: SqlExecutor, domainId: number): Promise<string> {
    const [domain] = await statements.read<[host: string]>(`SELECT host FROM domains WHERE id = ?${this.dialect.sql.forUpdate}`, [
      domainId,
    ]);
    if (!domain) throw new RecordNotFound('domain');
    return domain[0];
  }

  async lock(statements: SqlExecutor, column: 'id' | 'domain_id', id: number): Promise<Verification | undefined> {
    const [row] = await statements.read<VerificationRow>(`${LOCK}.${column} = ?${this.dialect.sql.forUpdate}`, [id]);
    return row && toVerification(row);
  }

  /** Locks the domain's verification; creates it if it is missing. @throws RecordNotFound */
  async ensure(statements: SqlExecutor, domainId: number): Promise<Verification> {
    await this.lockDomain(statements, domainId);
    const found = await this.lock(statements, 'domain_id', domainId);
    if (found) return found;
    await this.insert(statements, [domainId]);
    return (await this.lock(statements, 'domain_id', domainId))!;
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

  /** Call in the transaction that has locked the row. Logs a change of status as an event. */
  async update(statements: SqlExecutor, verification: Verification, after: VerificationState, by: Actor): Promise<Verification> {
    const { id, domainId, accountId, host, state: before } = verification;
    const isLiveChanged = (before.status === 'verified') !== (after.status === 'verified');
    const action = actionOf(before.status, after.status);
    if (action) await logEvents(statements, by, [{ action, record: 'domain', recordId: domainId, host: isLiveChanged ? host : undefined }]);
    const { status, isByOperator, started, checks, checked, due, misses, lastMiss, lost, problems } = after;
    const values = [status, isByOperator ? 1 : 0, started, checks, checked, due, misses, lastMiss, lost, JSON.stringify(problems)];
    await statements.write(UPDATE, [...values, id]);
    if (status !== before.status) await countChanges(this.dialect, statements, accountId, { domain_verifications: { updated: 1 } });
    return { ...verification, state: after };
  }

  /** Call after an update that writes the host. A new host has to be verified again. */
  readonly afterHostUpdate: RecordHook = async (statements, domainId, context) => {
    const before = await this.lock(statements, 'domain_id', domainId); // so that no check verifies the old host meanwhile
    const { affected } = await statements.write(DELETE_OF_OTHER_HOST, [domainId]);
    if (affected > 0) await this.insert(statements, [domainId]);
    if (affected > 0 && before?.state.status === 'verified')
      await logEvents(statements, because(context), [{ action: 'unverify', record: 'domain', recordId: domainId }]);
    return { host: before?.host };
  };

  /**
   * While an account is deleted: stops serving its hosts, and keeps checks in progress from verifying them. Handles one batch;
   * returns whether there may be more.
   */
  async endOfAccount(statements: SqlExecutor, accountId: number): Promise<boolean> {
    const find = `SELECT id FROM domain_verifications WHERE account_id = ? LIMIT ${MAX_ENDED}${this.dialect.sql.forUpdate}`;
    const ids = (await statements.read<[id: number]>(find, [accountId])).map(([id]) => id);
    if (ids.length === 0) return false;
    await this.changes.noteEnds(statements, accountId, ids);
    const { sql, values } = inList(ids);
    await statements.write(`DELETE FROM domain_verifications WHERE id IN ${sql}`, values);
    await countChanges(this.dialect, statements, accountId, { domain_verifications: { updated: ids.length } }); // no row: pending
    return ids.length === MAX_ENDED;
  }
}

/** Undefined if there is no event: the status is the same, or goes from failed to pending. */
function actionOf(before: VerificationStatus, after: VerificationStatus): string | undefined {
  if (before === after) return undefined;
  if (after === 'verified') return 'verify';
  if (before === 'verified') return 'unverify';
  return after === 'failed' ? 'fail' : undefined;
}

function toVerification([id, domainId, accountId, host, status, isByOperator, ...row]: VerificationRow): Verification {
  const [started, checks, checked, due, misses, lastMiss, lost, problems] = row;
  const state = { status, isByOperator: isByOperator === 1, started, checks, checked, due, misses, lastMiss, lost };
  return { id, domainId, accountId, host, state: { ...state, problems: JSON.parse(problems) as Problem[] } };
}

export function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof RecordNotFound)) throw error;
}
