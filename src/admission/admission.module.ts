import { Module } from '@nestjs/common';
import { Metrics } from '../observability/metrics';
import { ObservabilityModule } from '../observability/observability.module';
import { Admission } from './admission.guard';

@Module({
  imports: [ObservabilityModule],
  providers: [Admission],
  exports: [Admission],
})
export class AdmissionModule {
  constructor(admission: Admission, metrics: Metrics) {
    metrics.watchLoad(admission);
  }
}
