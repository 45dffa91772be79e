import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { operatorContext } from '../../../common/write-context';
import { audit, type AuditEvent } from '../../../database/audit/audit';
import type { SqlExecutor } from '../../../database/dialect';
import { WriteExecutor } from '../../../database/writes/write-executor';
import { newSeries, verifiedByOperator, type VerificationState } from '../verification-state';
import { VerificationRepair } from '../verification-repair';
import { VerificationTable } from '../verification-table';

/** Verifies domains without DNS, for operators. */
@Injectable()
export class OperatorVerifications {
  constructor(
    private readonly table: VerificationTable,
    private readonly repair: VerificationRepair,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Until the host changes, or `unverify`. @throws RecordNotFound */
  async verify(domainId: number): Promise<void> {
    await this.executor.runWithRetries((statements) => this.verifyWithin(statements, domainId));
  }

  /** Returns false if it wasn't verified. Its series of checks begins anew. @throws RecordNotFound */
  unverify(domainId: number): Promise<boolean> {
    const change = (state: VerificationState, now: number) => (state.status === 'verified' ? newSeries(now) : undefined);
    return this.executor.runWithRetries((statements) => this.change(statements, domainId, 'unverify', change));
  }

  verifyWithin(statements: SqlExecutor, domainId: number): Promise<boolean> {
    return this.change(statements, domainId, 'verify', verifiedByOperator);
  }

  private async change(
    statements: SqlExecutor,
    domainId: number,
    action: AuditEvent['action'],
    change: (state: VerificationState, now: number) => VerificationState | undefined,
  ): Promise<boolean> {
    const verification = await this.repair.lock(statements, domainId);
    const after = change(verification.state, this.clock.now());
    if (!after) return false;
    await this.table.update(statements, verification, after);
    await audit(statements, operatorContext(verification.accountId), { action, record: 'domain', recordId: domainId });
    return true;
  }
}
