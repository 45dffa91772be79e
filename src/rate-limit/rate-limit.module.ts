import { Module } from '@nestjs/common';
import { RequestCounter } from './request-counter';

@Module({
  providers: [RequestCounter],
  exports: [RequestCounter],
})
export class RateLimitModule {}
