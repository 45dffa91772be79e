import { Module } from '@nestjs/common';
import { AccountWithdrawals } from '../auth/accounts/account-deletion';
import { AuthModule } from '../auth/auth.module';
import { ObservabilityModule } from '../observability/observability.module';
import { SecretsModule } from '../secrets/secrets.module';
import { DomainsController } from './domains.controller';
import { DomainsService } from './domains.service';
import { ChangesModule } from './changes/changes.module';
import { VerificationHooks, VerificationWithdrawal } from './verification/verification-hooks';
import { DomainLook } from './verification/looks/domain-look';
import { LookAdmission } from './verification/looks/look-admission';
import { LookMetrics } from './verification/looks/look-metrics';
import { LookRunner } from './verification/looks/look-runner';
import { DomainList, HostRelease, OperatorVerifications } from './verification/operator-verifications';
import { VerificationController } from './verification/verification.controller';
import { VerificationPresenter, VerificationsService } from './verification/verifications.service';
import { VerificationRepair } from './verification/verification-repair';
import { VerificationTable } from './verification/verification-table';
import { VerificationTokens } from './verification/verification-tokens';
import { Claimer } from './verification/worker/claimer';
import { DueDomains } from './verification/worker/due-domains';
import { MissingVerifications } from './verification/worker/missing-verifications';
import { VerificationUpkeep } from './verification/worker/verification-upkeep';
import { VerificationWorker } from './verification/worker/verification-worker';

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
    DomainLook,
    LookAdmission,
    LookMetrics,
    LookRunner,
    DomainList,
    HostRelease,
    OperatorVerifications,
    VerificationWithdrawal,
    Claimer,
    DueDomains,
    MissingVerifications,
    VerificationUpkeep,
    VerificationWorker,
  ],
  exports: [DomainsService, OperatorVerifications, VerificationHooks],
})
export class DomainsModule {
  constructor(withdrawals: AccountWithdrawals, listener: VerificationWithdrawal) {
    withdrawals.listen((statements, accountId) => listener.end(statements, accountId));
  }
}
