import { Injectable } from '@nestjs/common';
import { OperatorError } from '../../auth/accounts/accounts.service';
import { Clock } from '../../common/clock';
import { operatorContext } from '../../common/write-context';
import { audit, type AuditEvent } from '../../database/audit/audit';
import { Dialect, type NamedRow, type SqlExecutor } from '../../database/dialect';
import { WriteExecutor } from '../../database/writes/transactions';
import { DomainsService } from '../domains.service';
import type { Problem, VerificationStatus } from './domain-verification.entity';
import { toTimestamp } from './verifications.service';
import { VerificationRepair } from './verification-repair';
import { newSeries, type VerificationState, verifiedByOperator } from './verification-state';
import { VerificationTable } from './verification-table';

/** Verifies domains without DNS, for operators. */
@Injectable()
export class OperatorVerifications {
  constructor(
    private readonly table: VerificationTable,
    private readonly repair: VerificationRepair,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Until the host changes, or `unverify`. @throws RecordNotFound */
  async verify(domainId: number): Promise<void> {
    await this.executor.runWithRetries((statements) => this.verifyWithin(statements, domainId));
  }

  /** Returns false if it wasn't verified. Its series of checks begins anew. @throws RecordNotFound */
  unverify(domainId: number): Promise<boolean> {
    const change = (state: VerificationState, now: number) => (state.status === 'verified' ? newSeries(now) : undefined);
    return this.executor.runWithRetries((statements) => this.change(statements, domainId, 'unverify', change));
  }

  verifyWithin(statements: SqlExecutor, domainId: number): Promise<boolean> {
    return this.change(statements, domainId, 'verify', verifiedByOperator);
  }

  private async change(
    statements: SqlExecutor,
    domainId: number,
    action: AuditEvent['action'],
    change: (state: VerificationState, now: number) => VerificationState | undefined,
  ): Promise<boolean> {
    const verification = await this.repair.lock(statements, domainId);
    const after = change(verification.state, this.clock.now());
    if (!after) return false;
    await this.table.update(statements, verification, after);
    await audit(statements, operatorContext(verification.accountId), { action, record: 'domain', recordId: domainId });
    return true;
  }
}

export interface DomainListQuery {
  accountId?: number;
  status?: VerificationStatus;
}

export interface ListedDomain {
  id: number;
  account_id: number;
  host: string;
  is_enabled: boolean;
  status: VerificationStatus;
  is_by_operator: boolean;
  checked: string | null;
  next_check: string | null;
  problems: Problem['code'][];
}

/** Domains written by an older version have no row yet; they count as pending. */
const STATUS = "COALESCE(verification.status, 'pending')";
const SELECT = `SELECT domains.id, domains.account_id, domains.host, is_enabled, ${STATUS} AS status, is_by_operator, checked, due, problems
  FROM domains LEFT JOIN domain_verifications verification ON verification.domain_id = domains.id AND verification.host = domains.host`;

/** Domains of all accounts, for operators. */
@Injectable()
export class DomainList {
  constructor(private readonly dialect: Dialect) {}

  /** By ascending id. */
  async find({ accountId, status }: DomainListQuery): Promise<ListedDomain[]> {
    const filters = [
      { condition: 'domains.account_id = ?', value: accountId },
      { condition: `${STATUS} = ?`, value: status },
    ].flatMap(({ condition, value }) => (value === undefined ? [] : [{ condition, value }]));
    const where = filters.length > 0 ? `WHERE ${filters.map(({ condition }) => condition).join(' AND ')}` : '';
    const values = filters.map(({ value }) => value);
    return (await this.dialect.readNamed(`${SELECT} ${where} ORDER BY domains.id`, values)).map(toListed);
  }
}

function toListed({ checked, due, problems, ...row }: NamedRow): ListedDomain {
  return {
    ...(row as Pick<ListedDomain, 'id' | 'account_id' | 'host' | 'status'>),
    is_enabled: row.is_enabled === 1,
    is_by_operator: row.is_by_operator === 1,
    checked: toTimestamp(checked as number | null),
    next_check: toTimestamp(due as number | null),
    problems: codesOf(JSON.parse(String(problems ?? '[]')) as Problem[]),
  };
}

/** Without duplicates: unreachable name servers are one problem for the TXT record and one for the addresses. */
function codesOf(problems: readonly Problem[]): Problem['code'][] {
  return [...new Set(problems.map(({ code }) => code))];
}

const FIND = 'SELECT id, account_id FROM domains WHERE host = ?';
const FIND_HOST = 'SELECT host FROM domains WHERE id = ?';
const FIND_STATUS = 'SELECT status FROM domain_verifications WHERE domain_id = ?';

/** Releases a host whose account can't prove that it owns it. */
@Injectable()
export class HostRelease {
  constructor(
    private readonly domains: DomainsService,
    private readonly dialect: Dialect,
  ) {}

  /**
   * Deletes the domain that has the host, whatever its account.
   * @throws OperatorError when it is verified, unless forced, and when it is renamed meanwhile
   */
  async run(host: string, isForced: boolean): Promise<{ id: number; accountId: number }> {
    const [row] = await this.dialect.read<[id: number, accountId: number]>(FIND, [host]);
    if (!row) throw new OperatorError(`There is no domain with the host ${host}.`);
    const [id, accountId] = row;
    await this.domains.delete(operatorContext(accountId), id, async (statements) => {
      await this.refuseRenamed(statements, id, host);
      if (!isForced) await this.refuseVerified(statements, id, host);
    });
    return { id, accountId };
  }

  private async refuseRenamed(statements: SqlExecutor, id: number, host: string): Promise<void> {
    const [row] = await statements.read(FIND_HOST + this.dialect.forUpdate, [id]);
    if (row?.[0] !== host) throw new OperatorError(`Domain ${id} has just been renamed; ${host} is no longer its host.`);
  }

  /** Locked, so that no look verifies it meanwhile. */
  private async refuseVerified(statements: SqlExecutor, id: number, host: string): Promise<void> {
    const [row] = await statements.read(FIND_STATUS + this.dialect.forUpdate, [id]);
    if (row?.[0] === 'verified') throw new OperatorError(`${host} is verified. To release it all the same, add --force.`);
  }
}
