import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { Shutdown } from './shutdown';

@Module({
  controllers: [HealthController],
  providers: [Shutdown],
  exports: [Shutdown],
})
export class OperationsModule {}
