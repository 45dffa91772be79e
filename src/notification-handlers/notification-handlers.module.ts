import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DeliveryTargets } from './delivery-targets';
import { HandlerGuards, HandlerWithdrawals } from './handler-hooks';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { SigningSecretsService } from './signing-secrets.service';

@Module({
  imports: [AuthModule, SecretsModule],
  controllers: [NotificationHandlersController],
  providers: [DeliveryTargets, HandlerGuards, HandlerWithdrawals, NotificationHandlersService, SigningSecretsService],
  exports: [HandlerGuards, HandlerWithdrawals, DeliveryTargets, NotificationHandlersService],
})
export class NotificationHandlersModule {}
