import { Module } from '@nestjs/common';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { SettingsCipher } from './settings-cipher';
import { StoredTypeCheck } from './stored-type-check';

@Module({
  controllers: [NotificationHandlersController],
  providers: [NotificationHandlersService, SettingsCipher, StoredTypeCheck],
  exports: [NotificationHandlersService, SettingsCipher],
})
export class NotificationHandlersModule {}
