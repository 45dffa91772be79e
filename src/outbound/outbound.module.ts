import { Module } from '@nestjs/common';
import { Outbound } from './outbound';

@Module({
  providers: [Outbound],
  exports: [Outbound],
})
export class OutboundModule {}
