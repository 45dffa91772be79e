import { Module } from '@nestjs/common';
import { AccountWithdrawals } from '../auth/accounts/account-withdrawals';
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
import { DomainList } from './verification/operator/domain-list';
import { HostRelease } from './verification/operator/host-release';
import { OperatorVerifications } from './verification/operator/operator-verifications';
import { VerificationController } from './verification/verification.controller';
import { VerificationPresenter } from './verification/verification-presenter';
import { VerificationHooks } from './verification/verification-hooks';
import { VerificationRepair } from './verification/verification-repair';
import { VerificationTable } from './verification/verification-table';
import { VerificationTokens } from './verification/tokens/verification-tokens';
import { VerificationsService } from './verification/verifications.service';

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
