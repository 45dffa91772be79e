import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { Dialect, type SqlExecutor } from '../database/dialect';
import { RequestError } from '../http/errors/request-error';

/** MAX_DOMAINS per account. */
@Injectable()
export class DomainLimit {
  constructor(
    private readonly config: Config,
    private readonly dialect: Dialect,
  ) {}

  /**
   * Before a domain is inserted. The account's row is locked, so that concurrent requests are counted, too; those of another Galera node
   * are not, as FOR UPDATE locks on one node alone, and none changes the account's row.
   * @throws RequestError 409 limit_reached
   */
  async check(statements: SqlExecutor, accountId: number): Promise<void> {
    const { max } = this.config.domains;
    if (max === undefined) return;
    await statements.read(`SELECT id FROM accounts WHERE id = ?${this.dialect.forUpdate}`, [accountId]);
    const [[count]] = await statements.read('SELECT COUNT(*) FROM domains WHERE account_id = ?', [accountId]);
    if (Number(count) < max) return;
    const domains = max === 1 ? 'domain' : 'domains';
    throw RequestError.of('limit_reached', `This account may have at most ${max} ${domains}; delete one, or ask the operator for more.`);
  }
}
