import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ObservabilityModule } from '../observability/observability.module';
import { Admission } from './admission';
import { QuotaCount, Quotas } from './quotas';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([QuotaCount]), ObservabilityModule],
  providers: [Admission, Quotas],
  exports: [Admission, Quotas],
})
export class QuotasModule {}
