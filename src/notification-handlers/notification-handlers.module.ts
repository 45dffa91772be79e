import { Module } from '@nestjs/common';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { SettingsCipher } from './settings-cipher';

@Module({
  controllers: [NotificationHandlersController],
  providers: [NotificationHandlersService, SettingsCipher],
  exports: [NotificationHandlersService, SettingsCipher],
})
export class NotificationHandlersModule {}
