import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletion } from './accounts/account-deletion';
import { Account } from './accounts/account.entity';
import { AccountsService } from './accounts/accounts.service';
import { RecordLimits } from './accounts/record-limits';
import { ApiKey } from './accounts/api-key.entity';
import { ApiKeysService } from './accounts/api-keys.service';
import { RoutePolicies } from './route-policies';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([Account, ApiKey])],
  providers: [AccountDeletion, AccountsService, ApiKeysService, RecordLimits, RoutePolicies],
  exports: [AccountDeletion, AccountsService, ApiKeysService, RecordLimits, RoutePolicies],
})
export class AuthModule {}
