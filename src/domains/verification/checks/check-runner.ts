import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { WriteExecutor } from '../../../database/writes/transactions';
import type { Quota } from '../../../quotas/quota';
import { Quotas } from '../../../quotas/quotas';
import { VerificationRepair } from '../verification-repair';
import { stateAfter } from '../verification-state';
import { type Verification, VerificationTable } from '../verification-table';
import { DomainCheck } from './domain-check';

/** Checks that an account requests. */
const REQUESTS: Quota = { name: 'verification', limit: 10, window: 'minute' };

/** Checks domains and writes the results. */
@Injectable()
export class CheckRunner {
  constructor(
    private readonly check: DomainCheck,
    private readonly table: VerificationTable,
    private readonly repair: VerificationRepair,
    private readonly quotas: Quotas,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Counts a requested check, and returns the verification. @throws RecordNotFound, RequestError 429 */
  admit(accountId: number, domainId: number): Promise<Verification> {
    return this.executor.runWithRetries(async (statements) => {
      await this.quotas.require(statements, accountId, REQUESTS);
      return this.repair.lock(statements, domainId);
    });
  }

  /**
   * With a lease, writes only if it is still held: nobody else has checked or decided since. Undefined if nothing was written, because
   * the domain has another host now, or is deleted.
   */
  async run({ id, accountId, host }: Pick<Verification, 'id' | 'accountId' | 'host'>, lease?: number): Promise<Verification | undefined> {
    const found = await this.check.run(accountId, host);
    return this.executor.runWithRetries(async (statements) => {
      const verification = await this.table.lock(statements, 'id', id);
      if (!verification || (lease !== undefined && verification.state.due !== lease)) return undefined;
      const after = stateAfter(verification.state, found, this.clock.now(), lease === undefined);
      return this.table.update(statements, verification, after);
    });
  }
}
