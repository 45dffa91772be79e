import { Module } from '@nestjs/common';
import { ServerModule } from '../http/server/server.module';
import { HealthController } from './health.controller';
import { Metrics } from './metrics';

@Module({
  imports: [ServerModule],
  controllers: [HealthController],
  providers: [Metrics],
  exports: [Metrics],
})
export class ObservabilityModule {}
