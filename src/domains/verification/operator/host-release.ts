import { Injectable } from '@nestjs/common';
import { OperatorError } from '../../../auth/accounts/accounts.service';
import { operatorContext } from '../../../common/write-context';
import { Dialect, type SqlExecutor } from '../../../database/dialect';
import { DomainsService } from '../../domains.service';

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
    const [row] = await this.dialect.read(FIND, [host]);
    if (!row) throw new OperatorError(`There is no domain with the host ${host}.`);
    const [id, accountId] = row.map(Number);
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

  /** Locked, so that no check verifies it meanwhile. */
  private async refuseVerified(statements: SqlExecutor, id: number, host: string): Promise<void> {
    const [row] = await statements.read(FIND_STATUS + this.dialect.forUpdate, [id]);
    if (row?.[0] === 'verified') throw new OperatorError(`${host} is verified. To release it all the same, add --force.`);
  }
}
