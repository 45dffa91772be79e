import { Module } from '@nestjs/common';
import { Shutdown } from './shutdown';

@Module({
  providers: [Shutdown],
  exports: [Shutdown],
})
export class ServerModule {}
