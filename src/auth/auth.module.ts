import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletion } from './accounts/account-deletion';
import { Account } from './accounts/account.entity';
import { ApiKey } from './accounts/api-key.entity';
import { AccountsService } from './accounts/accounts.service';
import { RecordLimits } from './accounts/record-limits';
import { ApiKeysService } from './accounts/api-keys.service';
import { BearerStrategy } from './bearer.guard';
import { RoutePolicies } from './route-policies';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([Account, ApiKey])],
  providers: [AccountDeletion, AccountsService, ApiKeysService, BearerStrategy, RecordLimits, RoutePolicies],
  exports: [AccountDeletion, AccountsService, ApiKeysService, BearerStrategy, RecordLimits, RoutePolicies],
})
export class AuthModule {}
