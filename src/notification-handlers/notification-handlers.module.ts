import { Module } from '@nestjs/common';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { SecretsKeys } from './secrets/secrets-keys';
import { SecretsRotation } from './secrets/secrets-rotation';
import { SettingsCipher } from './secrets/settings-cipher';
import { StoredTypeCheck } from './stored-type-check';

@Module({
  controllers: [NotificationHandlersController],
  providers: [NotificationHandlersService, SecretsKeys, SecretsRotation, SettingsCipher, StoredTypeCheck],
  exports: [NotificationHandlersService, SettingsCipher],
})
export class NotificationHandlersModule {}
