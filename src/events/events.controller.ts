import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, CallerOf, WriteContextOf } from '../auth/caller';
import type { Caller } from '../auth/accounts/api-keys.service';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../platform/common/write-context';
import { ParseRecordIdPipe } from '../platform/http/input/parse-record-id.pipe';
import { ApiFormAction, ApiResult, ApiError } from '../platform/http/routes';
import { asData } from '../platform/http/responses';
import { onClose, WORK_ENDS } from '../platform/http/server/response-close';
import { EventPageResponse, EventQuery, HandlerEventsRecord, SetHandlerEvents } from './event.dto';
import { FeedService } from './feed.service';
import { Subscriptions } from './subscriptions/subscriptions';

@ApiTags('Events')
@Controller('api/events')
export class EventsController {
  constructor(private readonly feed: FeedService) {}

  @Scope('events:read')
  @Get()
  @ApiOperation({
    summary: 'Read events',
    description: 'Changes in order, without gaps: follow `meta.next`. A key sees the events of the records that it may read.',
  })
  @EventPageResponse()
  @ApiError('cursor_expired')
  read(@CallerOf() caller: Caller, @Query() query: EventQuery, @Res({ passthrough: true }) response: Response) {
    const closed = new AbortController();
    onClose(response, () => closed.abort());
    return this.feed.read(caller, query, { onWait: () => response.emit(WORK_ENDS), signal: closed.signal });
  }
}

/** Both paths of notification handlers serve all of these routes. */
@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class HandlerEventsController {
  constructor(private readonly subscriptions: Subscriptions) {}

  @Scope('notification-handlers:read')
  @Get(':notification_handler_id/events')
  @ApiResult(HandlerEventsRecord, 'Read the event types of a notification handler', 'notification_handler_id')
  find(@AccountId() accountId: number, @Param('notification_handler_id', ParseRecordIdPipe) id: number) {
    return asData(this.subscriptions.find(accountId, id).then((types) => ({ types })));
  }

  @Scope('notification-handlers:write', 'events:read')
  @Post(':notification_handler_id/events')
  @HttpCode(200)
  @ApiFormAction(HandlerEventsRecord, 'Set the event types of a notification handler', { idName: 'notification_handler_id' })
  set(
    @WriteContextOf() context: WriteContext,
    @Param('notification_handler_id', ParseRecordIdPipe) id: number,
    @Body() { types = [] }: SetHandlerEvents,
  ) {
    return asData(this.subscriptions.set(context, id, types).then((set) => ({ types: set })));
  }
}
