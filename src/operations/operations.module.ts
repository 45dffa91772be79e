import { Module } from '@nestjs/common';
import { Metrics } from '../http/metrics';
import { HealthController } from './health.controller';
import { Shutdown } from './shutdown';

@Module({
  controllers: [HealthController],
  providers: [Metrics, Shutdown],
  exports: [Metrics, Shutdown],
})
export class OperationsModule {}
