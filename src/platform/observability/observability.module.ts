import { Module } from '@nestjs/common';
import { Shutdown } from '../http/server/http-server';
import { HealthController } from './health.controller';
import { Metrics } from './metrics';

@Module({
  controllers: [HealthController],
  providers: [Metrics, Shutdown],
  exports: [Metrics, Shutdown],
})
export class ObservabilityModule {}
