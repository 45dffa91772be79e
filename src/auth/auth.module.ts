import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletion } from './accounts/account-deletion';
import { AccountKeysService } from './accounts/account-keys.service';
import { ApiKey } from './accounts/api-key.entity';
import { ApiKeysController } from './accounts/api-keys.controller';
import { AccountsModule } from './accounts/accounts.module';
import { ImportScopes } from './import-scopes';
import { RecordLimits } from './accounts/record-limits';
import { ApiKeysService } from './accounts/api-keys.service';
import { BearerStrategy } from './bearer.strategy';
import { RoutePolicies } from './route-policies';

@Module({
  imports: [AccountsModule, DiscoveryModule, TypeOrmModule.forFeature([ApiKey])],
  controllers: [ApiKeysController],
  providers: [AccountDeletion, AccountKeysService, ApiKeysService, BearerStrategy, ImportScopes, RecordLimits, RoutePolicies],
  exports: [AccountDeletion, AccountsModule, ApiKeysService, BearerStrategy, ImportScopes, RecordLimits, RoutePolicies],
})
export class AuthModule {}
