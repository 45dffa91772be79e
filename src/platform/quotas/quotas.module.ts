import { Global, Module } from '@nestjs/common';
import { ObservabilityModule } from '../observability/observability.module';
import { Admission } from './admission.interceptor';
import { Quotas } from './quotas';

@Global()
@Module({
  imports: [ObservabilityModule],
  providers: [Admission, Quotas],
  exports: [Admission, Quotas],
})
export class QuotasModule {}
