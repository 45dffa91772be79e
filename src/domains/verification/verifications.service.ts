import { Injectable } from '@nestjs/common';
import { CheckRunner } from './checks/check-runner';
import type { VerificationRecord } from './verification.dto';
import { VerificationPresenter } from './verification-presenter';
import { VerificationTable } from './verification-table';

@Injectable()
export class VerificationsService {
  constructor(
    private readonly table: VerificationTable,
    private readonly runner: CheckRunner,
    private readonly presenter: VerificationPresenter,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, domainId: number): Promise<VerificationRecord> {
    return this.presenter.present(accountId, await this.table.find(accountId, domainId));
  }

  /**
   * Checks the domain now. Calls `onAdmitted` before it does: DNS may take seconds.
   * @throws RecordNotFound, RequestError 429
   */
  async check(accountId: number, domainId: number, onAdmitted: () => void): Promise<VerificationRecord> {
    await this.table.find(accountId, domainId);
    const admitted = await this.runner.admit(accountId, domainId);
    onAdmitted();
    const verification = await this.runner.run(admitted);
    // Without one, the domain has got another host meanwhile, or is deleted.
    return verification ? this.presenter.present(accountId, { host: admitted.host, verification }) : this.find(accountId, domainId);
  }
}
