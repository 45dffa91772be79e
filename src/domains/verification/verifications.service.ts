import { Injectable } from '@nestjs/common';
import type { WriteContext } from '../../platform/common/write-context';
import { Config } from '../../platform/config/config';
import { causedBy } from '../../platform/database/events/event-log';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { type Quota, Quotas } from '../../platform/quotas/quotas';
import { DomainCheck } from './domain-check';
import type { DomainVerification } from './domain-verification.entity';
import { targetRecords, toDomainState, txtRecord, type VerificationRecord } from './verification.dto';
import { VerificationTable } from './verification-table';
import { VerificationTokens } from './verification-tokens';

/** Limits the checks that an account requests. */
const CHECK_QUOTA: Quota = { name: 'verification', limit: 10, window: 'minute' };

@Injectable()
export class VerificationsService {
  constructor(
    private readonly table: VerificationTable,
    private readonly domainCheck: DomainCheck,
    private readonly tokens: VerificationTokens,
    private readonly quotas: Quotas,
    private readonly executor: WriteExecutor,
    private readonly config: Config,
  ) {}

  /** @throws RecordNotFound */
  async find(accountId: number, domainId: number): Promise<VerificationRecord> {
    const found = await this.table.find(accountId, domainId);
    const verification = found ?? (await this.executor.run((statements) => this.table.lockOrInsert(statements, domainId)));
    return this.present(accountId, verification);
  }

  /**
   * Checks the domain now. Calls `onAdmitted` before querying DNS, which may take seconds.
   * @throws RecordNotFound, RequestError 429
   */
  async check(context: WriteContext, domainId: number, onAdmitted: () => void): Promise<VerificationRecord> {
    const { accountId } = context;
    await this.table.find(accountId, domainId);
    const admitted = await this.executor.run(async (statements) => {
      await this.quotas.consume(statements, accountId, CHECK_QUOTA);
      return this.table.lockOrInsert(statements, domainId);
    });
    onAdmitted();
    const verification = await this.domainCheck.run(admitted, { by: causedBy(context) });
    // Undefined if the domain was renamed or deleted meanwhile.
    return verification ? this.present(accountId, verification) : this.find(accountId, domainId);
  }

  private async present(accountId: number, { host, state }: DomainVerification): Promise<VerificationRecord> {
    const { status, checked, next_check, problems } = toDomainState(state);
    const records = [txtRecord(host, await this.tokens.tokenOf(accountId, host)), ...targetRecords(host, this.config.edge.target)];
    return { status, checked, next_check, records, problems, certificate: state.certificate };
  }
}
