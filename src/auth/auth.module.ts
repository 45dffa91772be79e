import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletion } from './accounts/account-deletion';
import { Account } from './accounts/account.entity';
import { AccountKeysService } from './accounts/account-keys.service';
import { ApiKey } from './accounts/api-key.entity';
import { ApiKeysController } from './accounts/api-keys.controller';
import { AccountsService } from './accounts/accounts.service';
import { RecordLimits } from './accounts/record-limits';
import { ApiKeysService } from './accounts/api-keys.service';
import { BearerStrategy } from './bearer.strategy';
import { RoutePolicies } from './route-policies';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([Account, ApiKey])],
  controllers: [ApiKeysController],
  providers: [AccountDeletion, AccountKeysService, AccountsService, ApiKeysService, BearerStrategy, RecordLimits, RoutePolicies],
  exports: [AccountDeletion, AccountsService, ApiKeysService, BearerStrategy, RecordLimits, RoutePolicies],
})
export class AuthModule {}
