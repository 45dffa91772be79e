import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { RecordNotFound } from '../../database/records/records';
import { DomainChanges } from '../changes/domain-changes';
import type { Problem, VerificationStatus } from './domain-verification.entity';
import type { VerificationState } from './verification-state';

/** A row. A change of host replaces it, so that results for the old host are never written. */
export interface Verification {
  id: number;
  domainId: number;
  accountId: number;
  host: string;
  state: VerificationState;
}

/** A domain of an account. Without a verification when a process of an older version wrote it. */
export interface DomainWithVerification {
  host: string;
  verification?: Verification;
}

const STATE = 'status, is_by_operator, begun, looks, checked, due, misses, last_miss, problems';
const COLUMNS = `verification.id, verification.domain_id, verification.account_id, verification.host, ${STATE}`;
const FIND = `SELECT domains.host, ${COLUMNS} FROM domains LEFT JOIN domain_verifications verification
  ON verification.domain_id = domains.id AND verification.host = domains.host WHERE domains.account_id = ? AND domains.id = ?`;
const LOCK = `SELECT ${COLUMNS} FROM domain_verifications verification WHERE verification`;
const UPDATE = `UPDATE domain_verifications SET ${STATE.replaceAll(',', ' = ?,')} = ? WHERE id = ?`;

type VerificationRow = [
  ...[id: number, domainId: number, accountId: number, host: string],
  ...[status: VerificationStatus, isByOperator: number, started: number, checks: number, checked: number | null, due: number | null],
  ...[misses: number, lastMiss: number | null, problems: string],
];

/** Rows of domain_verifications. */
@Injectable()
export class VerificationTable {
  constructor(
    private readonly dialect: Dialect,
    private readonly changes: DomainChanges,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, domainId: number): Promise<DomainWithVerification> {
    const [row] = await this.dialect.read<[host: string, ...(VerificationRow | null[])]>(FIND, [accountId, domainId]);
    if (!row) throw notFound();
    const [host, ...columns] = row;
    return { host, verification: columns[0] === null ? undefined : toVerification(columns as VerificationRow) };
  }

  /** Locks a domain, and returns its host. @throws RecordNotFound */
  async lockDomain(statements: SqlExecutor, domainId: number): Promise<string> {
    const [domain] = await statements.read<[host: string]>(`SELECT host FROM domains WHERE id = ?${this.dialect.forUpdate}`, [domainId]);
    if (!domain) throw notFound();
    return domain[0];
  }

  async lock(statements: SqlExecutor, column: 'id' | 'domain_id', id: number): Promise<Verification | undefined> {
    const [row] = await statements.read<VerificationRow>(`${LOCK}.${column} = ?${this.dialect.forUpdate}`, [id]);
    return row && toVerification(row);
  }

  /** In the transaction that has locked the row. */
  async update(statements: SqlExecutor, verification: Verification, after: VerificationState): Promise<Verification> {
    const { id, domainId, state: before } = verification;
    const isLiveChanged = (before.status === 'verified') !== (after.status === 'verified');
    if (isLiveChanged) await this.changes.note(statements, domainId);
    const { status, isByOperator, started, checks, checked, due, misses, lastMiss, problems } = after;
    const values = [status, isByOperator ? 1 : 0, started, checks, checked, due, misses, lastMiss, JSON.stringify(problems)];
    await statements.write(UPDATE, [...values, id]);
    return { ...verification, state: after };
  }
}

function toVerification([id, domainId, accountId, host, ...state]: VerificationRow): Verification {
  const [status, isByOperator, started, checks, checked, due, misses, lastMiss, problems] = state;
  const times = { started, checked, due, lastMiss };
  const found = { ...times, checks, misses, problems: JSON.parse(problems) as Problem[] };
  return { id, domainId, accountId, host, state: { status, isByOperator: isByOperator === 1, ...found } };
}

function notFound(): RecordNotFound {
  return new RecordNotFound('domain');
}
