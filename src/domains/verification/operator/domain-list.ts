import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../../../database/dialect';
import type { VerificationStatus } from '../domain-verification.entity';
import type { Problem } from '../problem';
import { toTimestamp } from '../verification-presenter';
import { toTime } from '../verification-table';

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

/** One that a process of an older version wrote has no verification: it is pending. */
const STATUS = "COALESCE(verification.status, 'pending')";
const SELECT = `SELECT domains.id, domains.account_id, domains.host, is_enabled, ${STATUS}, is_by_operator, checked, due, problems
  FROM domains LEFT JOIN domain_verifications verification ON verification.domain_id = domains.id AND verification.host = domains.host`;

/** Domains of all accounts, for operators. */
@Injectable()
export class DomainList {
  constructor(private readonly dialect: Dialect) {}

  /** By ascending id. */
  async find({ accountId, status }: DomainListQuery): Promise<ListedDomain[]> {
    const conditions = [...(accountId === undefined ? [] : ['domains.account_id = ?']), ...(status === undefined ? [] : [`${STATUS} = ?`])];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = [accountId, status].filter((value) => value !== undefined);
    return (await this.dialect.read(`${SELECT} ${where} ORDER BY domains.id`, values)).map(toListed);
  }
}

function toListed([id, account, host, isEnabled, status, isByOperator, checked, due, problems]: RowValues): ListedDomain {
  return {
    ...{ id: Number(id), account_id: Number(account), host: String(host), is_enabled: Number(isEnabled) === 1 },
    ...{ status: status as VerificationStatus, is_by_operator: Number(isByOperator) === 1 },
    ...{ checked: toTimestamp(toTime(checked)), next_check: toTimestamp(toTime(due)) },
    problems: (JSON.parse(String(problems ?? '[]')) as Problem[]).map(({ code }) => code),
  };
}
