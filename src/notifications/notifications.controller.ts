import { Controller, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { asRecord } from '../platform/http/responses';
import { RecordId } from '../platform/http/input/fields';
import { ListRoute, ReadRoute } from '../platform/http/routes';
import { NotificationQuery, NotificationRecord } from './notification.dto';
import { NotificationsService } from './notifications.service';

@ApiTags('Notifications')
@Controller('api/notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Scope('notifications:read')
  @ListRoute(NotificationRecord, 'List notifications')
  findPage(@AccountId() accountId: number, @Query() query: NotificationQuery) {
    return this.notifications.findPage(accountId, query);
  }

  @Scope('notifications:read')
  @ReadRoute('notification_id', NotificationRecord, 'Read a notification')
  find(@AccountId() accountId: number, @RecordId('notification_id') id: number, @Res({ passthrough: true }) response: Response) {
    return asRecord(this.notifications.find(accountId, id), response);
  }
}
