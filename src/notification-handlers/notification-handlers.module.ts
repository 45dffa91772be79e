import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DeliveryTargets, HandlerWithdrawals } from './delivery-targets';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService, StoredTypeCheck } from './notification-handlers.service';
import { SecretsModule } from '../secrets/secrets.module';
import { SigningSecretsController } from './signing-secrets.controller';
import { SigningSecretsService } from './signing-secrets.service';

@Module({
  imports: [AuthModule, SecretsModule],
  controllers: [NotificationHandlersController, SigningSecretsController],
  providers: [HandlerWithdrawals, ...[DeliveryTargets, NotificationHandlersService, SigningSecretsService, StoredTypeCheck]],
  exports: [HandlerWithdrawals, DeliveryTargets, NotificationHandlersService],
})
export class NotificationHandlersModule {}
