import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { DomainsModule } from '../../domains/domains.module';
import { SecretsModule } from '../../platform/secrets/secrets.module';
import { DemoService } from './demo.service';

@Module({
  imports: [AuthModule, DomainsModule, SecretsModule],
  providers: [DemoService],
})
export class DemoModule {}
