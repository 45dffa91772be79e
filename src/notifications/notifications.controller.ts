import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { asRecord } from '../platform/http/responses';
import { ParseRecordIdPipe } from '../platform/http/input/parse-record-id.pipe';
import { ApiRead, Paginated } from '../platform/http/routes';
import { NotificationQuery, NotificationRecord } from './notification.dto';
import { NotificationsService } from './notifications.service';

@ApiTags('Notifications')
@Controller('api/notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Scope('notifications:read')
  @Get()
  @Paginated(NotificationRecord, 'List notifications')
  findPage(@AccountId() accountId: number, @Query() query: NotificationQuery) {
    return this.notifications.findPage(accountId, query);
  }

  @Scope('notifications:read')
  @Get(':notification_id')
  @ApiRead('notification_id', NotificationRecord, 'Read a notification')
  find(
    @AccountId() accountId: number,
    @Param('notification_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.notifications.find(accountId, id), response);
  }
}
