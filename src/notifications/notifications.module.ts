import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ImportScopes } from '../auth/import-scopes';
import { CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS } from './notification-columns';
import { Campaign, Notification } from './notification.entity';
import { NotificationsController } from './notifications.controller';
import { NotificationsService } from './notifications.service';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([Campaign, Notification])],
  controllers: [NotificationsController],
  providers: [NotificationsService],
})
export class NotificationsModule {
  constructor(imports: ImportScopes) {
    imports.add('notifications:read', [CAMPAIGN_COLUMNS.name, NOTIFICATION_COLUMNS.name]);
  }
}
