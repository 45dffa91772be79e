import { Module } from '@nestjs/common';
import { SecretsModule } from '../secrets/secrets.module';
import { DomainsController } from './domains.controller';
import { DomainsService } from './domains.service';
import { DomainChanges } from './live/domain-changes';
import { LiveDomains } from './live/live-domains';
import { VerificationSeries } from './verification/verification-series';

@Module({
  controllers: [DomainsController],
  imports: [SecretsModule],
  providers: [DomainsService, VerificationSeries, DomainChanges, LiveDomains],
  exports: [DomainsService, DomainChanges, LiveDomains, VerificationSeries],
})
export class DomainsModule {}
