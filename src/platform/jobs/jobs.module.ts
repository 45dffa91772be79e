import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ObservabilityModule } from '../observability/observability.module';
import { Background } from './background';
import { Schedule } from './schedule';

@Global()
@Module({
  imports: [DiscoveryModule, ObservabilityModule],
  providers: [Background, Schedule],
  exports: [Background, Schedule],
})
export class JobsModule {}
