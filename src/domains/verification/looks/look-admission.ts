import { Injectable } from '@nestjs/common';
import { WriteExecutor } from '../../../database/writes/write-executor';
import type { Quota } from '../../../quotas/quota';
import { Quotas } from '../../../quotas/quotas';
import { VerificationRepair } from '../verification-repair';
import type { Verification } from '../verification-table';

const CHECKS: Quota = { name: 'verification', limit: 10, window: 'minute' };

/** Limits the checks that an account may request. */
@Injectable()
export class LookAdmission {
  constructor(
    private readonly quotas: Quotas,
    private readonly repair: VerificationRepair,
    private readonly executor: WriteExecutor,
  ) {}

  /** Returns the verification to check. @throws RecordNotFound, RequestError 429 */
  admit(accountId: number, domainId: number): Promise<Verification> {
    return this.executor.runWithRetries(async (statements) => {
      await this.quotas.require(statements, accountId, CHECKS);
      return this.repair.lock(statements, domainId);
    });
  }
}
