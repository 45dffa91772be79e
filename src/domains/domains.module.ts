import { Module } from '@nestjs/common';
import { AccountWithdrawals } from '../auth/accounts/account-deletion';
import { AuthModule } from '../auth/auth.module';
import { ObservabilityModule } from '../observability/observability.module';
import { SecretsModule } from '../secrets/secrets.module';
import { DomainsController } from './domains.controller';
import { DomainsService } from './domains.service';
import { ChangesModule } from './changes/changes.module';
import { CheckMetrics } from './verification/checks/check-metrics';
import { CheckRunner } from './verification/checks/check-runner';
import { CheckWorker } from './verification/checks/check-worker';
import { DomainCheck } from './verification/checks/domain-check';
import { DomainList, HostRelease, OperatorVerifications } from './verification/operator-verifications';
import { VerificationController } from './verification/verification.controller';
import { VerificationPresenter, VerificationsService } from './verification/verifications.service';
import { VerificationHooks } from './verification/verification-hooks';
import { VerificationRepair } from './verification/verification-repair';
import { VerificationTable } from './verification/verification-table';
import { VerificationTokens } from './verification/verification-tokens';

@Module({
  controllers: [DomainsController, VerificationController],
  imports: [AuthModule, ChangesModule, ObservabilityModule, SecretsModule],
  providers: [
    DomainsService,
    VerificationsService,
    VerificationPresenter,
    VerificationHooks,
    VerificationRepair,
    VerificationTable,
    VerificationTokens,
    CheckMetrics,
    CheckRunner,
    CheckWorker,
    DomainCheck,
    DomainList,
    HostRelease,
    OperatorVerifications,
  ],
  exports: [DomainsService, OperatorVerifications, VerificationHooks],
})
export class DomainsModule {
  constructor(withdrawals: AccountWithdrawals, hooks: VerificationHooks) {
    withdrawals.listen((statements, accountId) => hooks.endOfAccount(statements, accountId));
  }
}
