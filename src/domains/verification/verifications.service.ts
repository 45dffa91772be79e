import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { notBeyond, timestamp } from '../../common/time';
import { Config } from '../../config/config';
import { CheckRunner } from './checks/check-runner';
import { targetRecords, txtRecord, type VerificationRecord } from './verification.dto';
import { MAX_WAIT_MS, newSeries } from './verification-state';
import { type DomainWithVerification, VerificationTable } from './verification-table';
import { VerificationTokens } from './verification-tokens';

/** Makes what an account sees of a verification. */
@Injectable()
export class VerificationPresenter {
  constructor(
    private readonly tokens: VerificationTokens,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async present(accountId: number, { host, verification }: DomainWithVerification): Promise<VerificationRecord> {
    const now = this.clock.now();
    const { status, checked, due, problems } = verification?.state ?? newSeries(now);
    const next = due === null ? null : notBeyond(due, now, MAX_WAIT_MS);
    const token = await this.tokens.tokenOf(accountId, host);
    const records = [txtRecord(host, token), ...targetRecords(host, this.config.edge.target)];
    return { status, checked: toTimestamp(checked), next_check: toTimestamp(next), records, problems };
  }
}

export function toTimestamp(time: number | null): string | null {
  return time === null ? null : timestamp(new Date(time));
}

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
    // Without one, the domain was renamed or deleted meanwhile.
    return verification ? this.presenter.present(accountId, { host: admitted.host, verification }) : this.find(accountId, domainId);
  }
}
