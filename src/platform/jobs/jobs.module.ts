import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ObservabilityModule } from '../observability/observability.module';
import { Background } from './background';
import { Schedule, ScheduledJob } from './schedule';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ScheduledJob]), DiscoveryModule, ObservabilityModule],
  providers: [Background, Schedule],
  exports: [Background, Schedule],
})
export class JobsModule {}
