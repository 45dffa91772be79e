import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { DomainChanges } from '../changes/domain-changes';

/** Per transaction, to keep locks short. */
const BATCH = 500;

/** Ends the verifications of an account that is being deleted: its hosts are served no longer, nor verified by a check in progress. */
@Injectable()
export class WithdrawalListener {
  constructor(
    private readonly dialect: Dialect,
    private readonly changes: DomainChanges,
  ) {}

  /** Ends a batch, and returns whether there may be more. */
  async end(statements: SqlExecutor, accountId: number): Promise<boolean> {
    const find = `SELECT id FROM domain_verifications WHERE account_id = ? LIMIT ${BATCH}${this.dialect.forUpdate}`;
    const ids = (await statements.read(find, [accountId])).map(([id]) => Number(id));
    if (ids.length === 0) return false;
    await this.changes.noteVerifications(statements, ids);
    const { sql, values } = inList(ids);
    await statements.write(`DELETE FROM domain_verifications WHERE id IN ${sql}`, values);
    return ids.length === BATCH;
  }
}
