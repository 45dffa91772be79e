import { Global, Module } from '@nestjs/common';
import { Quotas } from './quotas';

@Global()
@Module({
  providers: [Quotas],
  exports: [Quotas],
})
export class QuotasModule {}
