import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountId, WriteContextOf } from '../../auth/caller';
import { Scope } from '../../auth/route-policies';
import type { WriteContext } from '../../platform/common/write-context';
import { RefusesIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ParseRecordIdPipe } from '../../platform/http/input/parse-record-id.pipe';
import { asData } from '../../platform/http/responses';
import { ApiFormAction, ApiError } from '../../platform/http/routes';
import { ApiReplay, ReplayRange, StartReplay } from './replay.dto';
import { ReplaysService } from './replays.service';

/** Both paths of notification handlers serve all of these routes. */
@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class ReplaysController {
  constructor(private readonly replays: ReplaysService) {}

  @Scope('notification-handlers:read')
  @Get(':notification_handler_id/replay')
  @ApiReplay('Read the replay of a notification handler')
  find(@AccountId() accountId: number, @Param('notification_handler_id', ParseRecordIdPipe) id: number) {
    return asData(this.replays.find(accountId, id));
  }

  @Scope('notification-handlers:write', 'events:read')
  @Post(':notification_handler_id/replay')
  @HttpCode(200)
  @RefusesIdempotencyKey()
  @ApiFormAction(ReplayRange, 'Send a notification handler its events in a time range again', {
    idName: 'notification_handler_id',
    description:
      'Sends events of the handler’s types again, in order, while new ones are sent, too. Webhooks have the same `webhook-id` as before.',
  })
  @ApiError('cursor_expired')
  @ApiError('handler_unavailable')
  @ApiError('replay_in_progress')
  @ApiError('replay_unconfirmed')
  start(
    @WriteContextOf() context: WriteContext,
    @Param('notification_handler_id', ParseRecordIdPipe) id: number,
    @Body() range: StartReplay,
  ) {
    return asData(this.replays.start(context, id, range));
  }

  @Scope('notification-handlers:write')
  @Delete(':notification_handler_id/replay')
  @ApiReplay('End the replay of a notification handler')
  end(@WriteContextOf() context: WriteContext, @Param('notification_handler_id', ParseRecordIdPipe) id: number) {
    return asData(this.replays.end(context, id));
  }
}
