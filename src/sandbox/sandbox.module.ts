import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { SandboxAccounts } from './sandbox-accounts';
import { SandboxReset } from './sandbox-reset';
import { Settling } from './settling';

/** What tests steer the service with. */
@Module({
  imports: [AuthModule],
  providers: [SandboxAccounts, SandboxReset, Settling],
})
export class SandboxModule {}
