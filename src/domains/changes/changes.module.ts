import { Module } from '@nestjs/common';
import { DomainChanges } from './domain-changes';
import { LiveDomains } from './live-domains';

@Module({
  providers: [DomainChanges, LiveDomains],
  exports: [DomainChanges, LiveDomains],
})
export class ChangesModule {}
