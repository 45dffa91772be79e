import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ObservabilityModule } from '../observability/observability.module';
import { BodyReader } from '../http/input/body-reader';
import { Admission, AdmissionGuard } from './admission.guard';
import { QuotaCount, Quotas } from './quotas';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([QuotaCount]), ObservabilityModule],
  providers: [Admission, AdmissionGuard, BodyReader, Quotas],
  exports: [Admission, AdmissionGuard, BodyReader, Quotas],
})
export class QuotasModule {}
