import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../../../database/dialect';
import { MAX_WAIT_MS } from '../verification-state';

export interface DueDomain {
  id: number;
  accountId: number;
  host: string;
}

/** Read at once. With more than this due, accounts are asked in turn, so that one's backlog doesn't hold up the others. */
const FEW = 256;
const ACCOUNTS = 64;
const OF_ACCOUNT = 8;
const COLUMNS = 'id, account_id, host';
/** With those that only a clock that was ahead can have set. */
const FIND_FIRST = `SELECT * FROM (SELECT ${COLUMNS} FROM domain_verifications WHERE due <= ? ORDER BY due LIMIT ${FEW}) due_domains
  UNION ALL SELECT * FROM (SELECT ${COLUMNS} FROM domain_verifications WHERE due > ? ORDER BY due LIMIT ${ACCOUNTS}) ahead`;
const FIND_ACCOUNTS = `SELECT id FROM accounts WHERE id > ? AND EXISTS
  (SELECT 1 FROM domain_verifications WHERE domain_verifications.account_id = accounts.id AND due <= ?) ORDER BY id LIMIT ${ACCOUNTS}`;
const FIND_OF_ACCOUNT = `SELECT * FROM
  (SELECT ${COLUMNS} FROM domain_verifications WHERE account_id = ? AND due <= ? ORDER BY due LIMIT ${OF_ACCOUNT}) due_domains`;

/** Finds what is due, in an order that is fair to the accounts. */
@Injectable()
export class DueDomains {
  /** The account that was read last. */
  private position = 0;

  constructor(private readonly dialect: Dialect) {}

  /** One of each account, a second of each, and so on. Not all, if there are many; the next call begins with other accounts. */
  async find(now: number): Promise<DueDomain[]> {
    const first = await this.dialect.read(FIND_FIRST, [now, now + MAX_WAIT_MS]);
    return inTurn((first.length < FEW ? first : await this.findOfNextAccounts(now)).map(toDueDomain));
  }

  private async findOfNextAccounts(now: number): Promise<RowValues[]> {
    let accounts = await this.dialect.read(FIND_ACCOUNTS, [this.position, now]);
    if (accounts.length === 0) accounts = await this.dialect.read(FIND_ACCOUNTS, [0, now]);
    if (accounts.length === 0) return [];
    this.position = accounts.length < ACCOUNTS ? 0 : Number(accounts[accounts.length - 1][0]);
    const selects = accounts.map(() => FIND_OF_ACCOUNT).join(' UNION ALL ');
    return this.dialect.read(
      selects,
      accounts.flatMap(([id]) => [id, now]),
    );
  }
}

function inTurn(due: readonly DueDomain[]): DueDomain[] {
  const seen = new Map<number, number>();
  const ranked = due.map((domain) => {
    const rank = seen.get(domain.accountId) ?? 0;
    seen.set(domain.accountId, rank + 1);
    return { domain, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ domain }) => domain);
}

function toDueDomain([id, accountId, host]: RowValues): DueDomain {
  return { id: Number(id), accountId: Number(accountId), host: String(host) };
}
