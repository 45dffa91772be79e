import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { WriteExecutor } from '../../../database/writes/transactions';
import { DomainLook } from './domain-look';
import { stateAfter } from '../verification-state';
import { type Verification, VerificationTable } from '../verification-table';

/** Checks domains and writes the results. */
@Injectable()
export class LookRunner {
  constructor(
    private readonly look: DomainLook,
    private readonly table: VerificationTable,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /**
   * With a lease, writes only if it is still held: nobody else has checked or decided since. Undefined if nothing was written, because
   * the domain has another host now, or is deleted.
   */
  async run({ id, accountId, host }: Pick<Verification, 'id' | 'accountId' | 'host'>, lease?: number): Promise<Verification | undefined> {
    const found = await this.look.run(accountId, host);
    return this.executor.runWithRetries(async (statements) => {
      const verification = await this.table.lock(statements, 'id', id);
      if (!verification || (lease !== undefined && verification.state.due !== lease)) return undefined;
      const after = stateAfter(verification.state, found, this.clock.now(), lease === undefined);
      return this.table.update(statements, verification, after);
    });
  }
}
