import { Module } from '@nestjs/common';
import { AccountWithdrawals } from '../auth/accounts/account-withdrawals';
import { AuthModule } from '../auth/auth.module';
import { ObservabilityModule } from '../observability/observability.module';
import { SecretsModule } from '../secrets/secrets.module';
import { DomainLimit } from './domain-limit';
import { DomainsController } from './domains.controller';
import { DomainsService } from './domains.service';
import { DomainChanges } from './live/domain-changes';
import { LiveDomains } from './live/live-domains';
import { AccountVerifications } from './verification/account-verifications';
import { DomainLook } from './verification/domain-look';
import { LookMetrics } from './verification/look-metrics';
import { DomainList } from './verification/operator/domain-list';
import { HostRelease } from './verification/operator/host-release';
import { OperatorVerifications } from './verification/operator/operator-verifications';
import { VerificationController } from './verification/verification.controller';
import { VerificationPresenter } from './verification/verification-presenter';
import { VerificationSeries } from './verification/verification-series';
import { VerificationTable } from './verification/verification-table';
import { VerificationTokens } from './verification/verification-tokens';
import { VerificationsService } from './verification/verifications.service';
import { Claimer } from './verification/worker/claimer';
import { DueDomains } from './verification/worker/due-domains';
import { MissingVerifications } from './verification/worker/missing-verifications';
import { VerificationUpkeep } from './verification/worker/verification-upkeep';
import { VerificationWorker } from './verification/worker/verification-worker';

@Module({
  controllers: [DomainsController, VerificationController],
  imports: [AuthModule, ObservabilityModule, SecretsModule],
  providers: [
    ...[DomainsService, DomainLimit, DomainChanges, LiveDomains],
    ...[VerificationsService, VerificationPresenter, VerificationSeries, VerificationTable, VerificationTokens],
    ...[DomainLook, LookMetrics],
    ...[DomainList, HostRelease, OperatorVerifications, AccountVerifications],
    ...[Claimer, DueDomains, MissingVerifications, VerificationUpkeep, VerificationWorker],
  ],
  exports: [DomainsService, DomainChanges, LiveDomains, OperatorVerifications, VerificationSeries],
})
export class DomainsModule {
  constructor(withdrawals: AccountWithdrawals, verifications: AccountVerifications) {
    withdrawals.listen((accountId) => verifications.end(accountId));
  }
}
