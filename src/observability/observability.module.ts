import { Module } from '@nestjs/common';
import { Metrics } from './metrics';
import { HealthController } from './health.controller';
import { Shutdown } from '../http/server/shutdown';

@Module({
  controllers: [HealthController],
  providers: [Metrics, Shutdown],
  exports: [Metrics, Shutdown],
})
export class ObservabilityModule {}
