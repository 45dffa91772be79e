import { Module } from '@nestjs/common';
import { DeliveryTargets } from './delivery-targets';
import { HandlerWithdrawals } from './handler-withdrawals';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { SecretsKeys } from './secrets/secrets-keys';
import { SecretsRotation } from './secrets/secrets-rotation';
import { SettingsCipher } from './secrets/settings-cipher';
import { SigningSecretsController } from './signing-secrets/signing-secrets.controller';
import { SigningSecretsService } from './signing-secrets/signing-secrets.service';
import { StoredTypeCheck } from './stored-type-check';

@Module({
  controllers: [NotificationHandlersController, SigningSecretsController],
  providers: [
    HandlerWithdrawals,
    ...[DeliveryTargets, NotificationHandlersService, SigningSecretsService, StoredTypeCheck],
    ...[SecretsKeys, SecretsRotation, SettingsCipher],
  ],
  exports: [HandlerWithdrawals, DeliveryTargets, NotificationHandlersService, SettingsCipher],
})
export class NotificationHandlersModule {}
