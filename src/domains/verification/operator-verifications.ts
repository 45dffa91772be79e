import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OperatorError } from '../../auth/accounts/accounts.service';
import { Clock } from '../../platform/common/clock';
import { operatorContext } from '../../platform/common/write-context';
import { audit, type AuditEvent, because } from '../../platform/database/events/audit';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import { RecordNotFound } from '../../platform/database/records/records';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { DomainsService } from '../domains.service';
import type { Problem, VerificationStatus } from './domain-verification.entity';
import { type VerificationState, verifiedByOperator, withoutProof } from './verification-state';
import { toTimestamp } from './verification.dto';
import { VerificationTable } from './verification-table';
import { VerificationsService } from './verifications.service';

/** A new domain has no row yet. */
const STATUS = "COALESCE(verification.status, 'pending')";
const SELECT = `SELECT domains.id, domains.account_id, domains.host, is_enabled, ${STATUS} AS status, is_by_operator, checked, due, problems
  FROM domains LEFT JOIN domain_verifications verification ON verification.domain_id = domains.id AND verification.host = domains.host`;

/** Operator commands for the domains of any account. */
@Injectable()
export class OperatorVerifications {
  constructor(
    private readonly table: VerificationTable,
    private readonly domains: DomainsService,
    private readonly verifications: VerificationsService,
    private readonly dialect: Dialect,
    private readonly dataSource: DataSource,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** By ascending id. */
  async list({ accountId, status }: { accountId?: number; status?: VerificationStatus }) {
    const filters = [
      ...(accountId === undefined ? [] : [{ condition: 'domains.account_id = ?', value: accountId }]),
      ...(status === undefined ? [] : [{ condition: `${STATUS} = ?`, value: status }]),
    ];
    const where = ['1 = 1', ...filters.map(({ condition }) => condition)].join(' AND ');
    const values = filters.map(({ value }) => value);
    return (await this.dataSource.query<VerificationRow[]>(`${SELECT} WHERE ${where} ORDER BY domains.id`, values)).map(toListed);
  }

  /** A domain with its verification, as its account reads it. @throws RecordNotFound */
  async show(id: number) {
    const [row] = await this.dataSource.query<VerificationRow[]>(`${SELECT} WHERE domains.id = ?`, [id]);
    if (!row) throw new RecordNotFound('domain');
    const listed = toListed(row);
    const { records, problems } = await this.verifications.find(listed.account_id, id);
    return { ...listed, records, problems };
  }

  /** Verifies without DNS, until the host changes or `unverify`. @throws RecordNotFound */
  async verify(domainId: number): Promise<void> {
    await this.executor.run((statements) => this.verifyWithin(statements, domainId));
  }

  /** Makes a verified domain pending, with a new series of checks. Returns false if it wasn't verified. @throws RecordNotFound */
  unverify(domainId: number): Promise<boolean> {
    const change = (state: VerificationState, now: number) => (state.status === 'verified' ? withoutProof(now) : undefined);
    return this.executor.run((statements) => this.change(statements, domainId, 'unverify', change));
  }

  verifyWithin(statements: SqlExecutor, domainId: number): Promise<boolean> {
    return this.change(statements, domainId, 'verify', verifiedByOperator);
  }

  /**
   * Deletes the domain that has the host, in any account, so that the host's owner can create it.
   * @throws OperatorError when no domain has the host, when it is verified and `isForced` is false, or when it is renamed meanwhile
   */
  async release(host: string, isForced: boolean): Promise<{ id: number; accountId: number }> {
    const find = 'SELECT id, account_id FROM domains WHERE host = ?';
    const [row] = await this.dialect.read<[id: number, accountId: number]>(find, [host]);
    if (!row) throw new OperatorError(`There is no domain with the host ${host}.`);
    const [id, accountId] = row;
    await this.domains.delete(operatorContext(accountId), id, async (statements) => {
      if ((await this.table.lockDomain(statements, id)) !== host)
        throw new OperatorError(`Domain ${id} has just been renamed; ${host} is no longer its host.`);
      const verification = await this.table.lock(statements, 'domain_id', id); // so that no check verifies it meanwhile
      if (!isForced && verification?.state.status === 'verified')
        throw new OperatorError(`${host} is verified. To release it all the same, add --force.`);
    });
    return { id, accountId };
  }

  private async change(
    statements: SqlExecutor,
    domainId: number,
    action: AuditEvent['action'],
    change: (state: VerificationState, now: number) => VerificationState | undefined,
  ): Promise<boolean> {
    const verification = await this.table.ensure(statements, domainId);
    const after = change(verification.state, this.clock.now());
    if (!after) return false;
    const context = operatorContext(verification.accountId);
    await this.table.update(statements, verification, after, { ...because(context), isAudited: true });
    // Audited even if the status stays the same: DNS may have verified the domain before.
    if (after.status === verification.state.status) await audit(statements, context, { action, record: 'domain', recordId: domainId });
    return true;
  }
}

/** A domain and its verification. Without one, `status` is `pending`, and its other columns are null. Flags are 0 or 1. */
interface VerificationRow {
  id: number;
  account_id: number;
  host: string;
  status: VerificationStatus;
  is_enabled: number;
  is_by_operator: number | null;
  checked: number | null;
  due: number | null;
  problems: string | null;
}

function toListed({ checked, due, problems, ...row }: VerificationRow) {
  const codes = (JSON.parse(problems ?? '[]') as Problem[]).map(({ code }) => code);
  return {
    ...row,
    is_enabled: row.is_enabled === 1,
    is_by_operator: row.is_by_operator === 1,
    checked: toTimestamp(checked),
    next_check: toTimestamp(due),
    problems: [...new Set(codes)], // unreachable name servers are reported for both TXT and addresses
  };
}
