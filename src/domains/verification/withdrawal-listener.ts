import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { WriteExecutor } from '../../database/writes/write-executor';
import { yieldToWriters } from '../../database/writes/yield-to-writers';
import { DomainChanges } from '../changes/domain-changes';

/** Per transaction, to keep locks short. */
const BATCH = 500;

/** Ends the verifications of an account that is being deleted: its hosts are served no longer, nor verified by a look at work. */
@Injectable()
export class WithdrawalListener {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly changes: DomainChanges,
  ) {}

  async end(accountId: number): Promise<void> {
    while ((await this.executor.runWithRetries((statements) => this.endBatch(statements, accountId))) === BATCH) await yieldToWriters();
  }

  private async endBatch(statements: SqlExecutor, accountId: number): Promise<number> {
    const find = `SELECT id FROM domain_verifications WHERE account_id = ? LIMIT ${BATCH}${this.dialect.forUpdate}`;
    const ids = (await statements.read(find, [accountId])).map(([id]) => Number(id));
    if (ids.length === 0) return 0;
    await this.changes.noteVerifications(statements, ids);
    const { sql, values } = inList(ids);
    await statements.write(`DELETE FROM domain_verifications WHERE id IN ${sql}`, values);
    return ids.length;
  }
}
