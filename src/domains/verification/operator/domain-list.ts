import { Injectable } from '@nestjs/common';
import { Dialect } from '../../../database/dialect';
import type { VerificationStatus } from '../domain-verification.entity';
import type { Problem } from '../verification-state';
import { toTimestamp } from '../verification-presenter';

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
const SELECT = `SELECT domains.id, domains.account_id, domains.host, is_enabled, ${STATUS}, is_by_operator, checked, due, problems
  FROM domains LEFT JOIN domain_verifications verification ON verification.domain_id = domains.id AND verification.host = domains.host`;

type DomainRow = [
  ...[id: number, accountId: number, host: string, isEnabled: number, status: VerificationStatus, isByOperator: number | null],
  ...[checked: number | null, due: number | null, problems: string | null],
];

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
    return (await this.dialect.read<DomainRow>(`${SELECT} ${where} ORDER BY domains.id`, values)).map(toListed);
  }
}

function toListed([id, account_id, host, isEnabled, status, isByOperator, checked, due, problems]: DomainRow): ListedDomain {
  return {
    ...{ id, account_id, host, is_enabled: isEnabled === 1, status, is_by_operator: isByOperator === 1 },
    ...{ checked: toTimestamp(checked), next_check: toTimestamp(due), problems: codesOf(JSON.parse(problems ?? '[]') as Problem[]) },
  };
}

/** Without duplicates: unreachable name servers are one problem for the TXT record and one for the addresses. */
function codesOf(problems: readonly Problem[]): Problem['code'][] {
  return [...new Set(problems.map(({ code }) => code))];
}
