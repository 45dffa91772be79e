import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { BearerStrategy } from './bearer.strategy';

@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey])],
  providers: [AccountsService, ApiKeysService, BearerStrategy],
  exports: [AccountsService, ApiKeysService],
})
export class AuthModule {}
