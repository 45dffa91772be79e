import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { MinuteLimits } from '../../database/writes/minute-limits';
import { WriteExecutor } from '../../database/writes/write-executor';
import { DomainLook } from './domain-look';
import type { VerificationRecord } from './verification.dto';
import { VerificationPresenter } from './verification-presenter';
import { type Verification, VerificationTable } from './verification-table';

const MAX_PER_MINUTE = 10;

@Injectable()
export class VerificationsService {
  constructor(
    private readonly table: VerificationTable,
    private readonly look: DomainLook,
    private readonly presenter: VerificationPresenter,
    private readonly minuteLimits: MinuteLimits,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, domainId: number): Promise<VerificationRecord> {
    return this.presenter.present(accountId, await this.table.find(accountId, domainId));
  }

  /**
   * Looks the domain up now. Calls `onAdmitted` before it does: DNS may take seconds.
   * @throws RecordNotFound, MinuteLimitExceeded
   */
  async check(accountId: number, domainId: number, onAdmitted: () => void): Promise<VerificationRecord> {
    await this.table.find(accountId, domainId);
    const { id, host } = await this.admit(accountId, domainId);
    onAdmitted();
    const verification = await this.table.settle(id, await this.look.run(accountId, host));
    // Without one, the domain has got another host meanwhile, or is deleted.
    return verification ? this.presenter.present(accountId, { host, verification }) : this.find(accountId, domainId);
  }

  private admit(accountId: number, domainId: number): Promise<Verification> {
    return this.executor.runWithRetries(async (statements) => {
      await this.minuteLimits.count(statements, accountId, 'verification', MAX_PER_MINUTE, this.clock.now());
      return this.table.lockOf(statements, domainId);
    });
  }
}
