import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletion } from '../auth/accounts/account-deletion';
import { AuthModule } from '../auth/auth.module';
import { ObservabilityModule } from '../platform/observability/observability.module';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { Domain } from './domain.entity';
import { DomainsController } from './domains.controller';
import { DomainsService } from './domains.service';
import { CertificateCheck } from './verification/certificate-check';
import { CheckWorker } from './verification/check-worker';
import { DomainCheck } from './verification/domain-check';
import { DomainVerification } from './verification/domain-verification.entity';
import { OperatorVerifications } from './verification/operator-verifications';
import { VerificationController } from './verification/verification.controller';
import { VerificationsService } from './verification/verifications.service';
import { VerificationTable } from './verification/verification-table';
import { VerificationTokens } from './verification/verification-tokens';

@Module({
  controllers: [DomainsController, VerificationController],
  imports: [TypeOrmModule.forFeature([Domain, DomainVerification]), AuthModule, ObservabilityModule, SecretsModule],
  providers: [
    DomainsService,
    VerificationsService,
    VerificationTable,
    VerificationTokens,
    CertificateCheck,
    CheckWorker,
    DomainCheck,
    OperatorVerifications,
  ],
  exports: [DomainsService, OperatorVerifications],
})
export class DomainsModule {
  constructor(deletion: AccountDeletion, verifications: VerificationTable) {
    deletion.beforeDelete(Domain, (...deleted) => verifications.logDeletion(...deleted));
  }
}
