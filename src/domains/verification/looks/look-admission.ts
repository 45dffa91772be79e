import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { MinuteLimits } from '../../../database/writes/minute-limits';
import { WriteExecutor } from '../../../database/writes/transactions';
import { VerificationRepair } from '../verification-repair';
import type { Verification } from '../verification-table';

const MAX_PER_MINUTE = 10;

/** Limits the checks that an account may request. */
@Injectable()
export class LookAdmission {
  constructor(
    private readonly minuteLimits: MinuteLimits,
    private readonly repair: VerificationRepair,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Returns the verification to check. @throws RecordNotFound, MinuteLimitExceeded */
  admit(accountId: number, domainId: number): Promise<Verification> {
    return this.executor.runWithRetries(async (statements) => {
      await this.minuteLimits.count(statements, accountId, 'verification', MAX_PER_MINUTE, this.clock.now());
      return this.repair.lock(statements, domainId);
    });
  }
}
