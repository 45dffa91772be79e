import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../common/time';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { RecordNotFound } from '../../database/records/records';
import { WriteExecutor, yieldToWriters } from '../../database/writes/transactions';
import { Job } from '../../jobs/job.decorator';
import { VerificationHooks } from './verification-hooks';
import { type Verification, VerificationTable } from './verification-table';

/** Domains read at once, in a millisecond or two of the embedded database. */
const BATCH = 1_000;
const BATCH_END = `SELECT MAX(id) FROM (SELECT id FROM domains WHERE id > ? ORDER BY id LIMIT ${BATCH}) batch`;
/** Not those of disabled accounts: deleting one ends its verifications first. */
const FIND = `SELECT domains.id FROM domains JOIN accounts ON accounts.id = domains.account_id LEFT JOIN domain_verifications verification
  ON verification.domain_id = domains.id AND verification.host = domains.host
  WHERE domains.id > ? AND domains.id <= ? AND verification.id IS NULL AND accounts.disabled_datetime IS NULL`;

/** Makes the verifications of domains that a process of an older version has written during an upgrade, without the hooks. */
@Injectable()
export class VerificationRepair {
  constructor(
    private readonly table: VerificationTable,
    private readonly hooks: VerificationHooks,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** Locks the domain's verification; creates it if it is missing or for another host. @throws RecordNotFound */
  async lock(statements: SqlExecutor, domainId: number): Promise<Verification> {
    const host = await this.table.lockDomain(statements, domainId);
    const found = await this.table.lock(statements, 'domain_id', domainId);
    if (found?.host === host) return found;
    await (found ? this.hooks.afterHostUpdate(statements, domainId) : this.hooks.afterInsert(statements, domainId));
    return (await this.table.lock(statements, 'domain_id', domainId))!;
  }

  /** Also without checks (DOMAIN_CHECKS=off): the edge needs the rows. */
  @Job({ name: 'missing-verifications', everyMs: HOUR_MS, atStart: true })
  async makeMissing(signal: AbortSignal): Promise<void> {
    for (let start = 0; ;) {
      signal.throwIfAborted();
      const [[end]] = await this.dialect.read(BATCH_END, [start]);
      if (end === null) return;
      for (const [id] of await this.dialect.read(FIND, [start, end])) {
        signal.throwIfAborted();
        await this.ensure(Number(id));
        await yieldToWriters(); // after each: a million domains written by SQL took all of the embedded database
      }
      start = Number(end);
      await yieldToWriters();
    }
  }

  private async ensure(domainId: number): Promise<void> {
    try {
      await this.executor.runWithRetries((statements) => this.lock(statements, domainId));
    } catch (error) {
      if (!(error instanceof RecordNotFound)) throw error; // deleted meanwhile
    }
  }
}
