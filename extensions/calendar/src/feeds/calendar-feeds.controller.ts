import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AccountId,
  ApiDelete,
  ApiFormAction,
  ApiRead,
  asData,
  asId,
  asRecord,
  Config,
  Paginated,
  ParseRecordIdPipe,
  Scope,
  type WriteContext,
  WriteContextOf,
} from 'frontdesk';
import { CalendarFeedQuery, CalendarFeedRecord, CreateCalendarFeed, NewCalendarFeed } from './calendar-feed.dto';
import { CalendarFeedsService } from './calendar-feeds.service';

@ApiTags('Calendars')
@Controller('api/calendar-feeds')
export class CalendarFeedsController {
  constructor(
    private readonly feeds: CalendarFeedsService,
    private readonly config: Config,
  ) {}

  @Scope('calendar:read')
  @Get()
  @Paginated(CalendarFeedRecord, 'List calendar feeds')
  findPage(@AccountId() accountId: number, @Query() query: CalendarFeedQuery) {
    return this.feeds.findPage(accountId, query);
  }

  @Scope('calendar:read')
  @Get(':calendar_feed_id')
  @ApiRead('calendar_feed_id', CalendarFeedRecord, 'Read a calendar feed')
  find(
    @AccountId() accountId: number,
    @Param('calendar_feed_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.feeds.find(accountId, id), response);
  }

  // Requires scheduling:read, too: anyone who has the feed's address can read its appointments.
  @Scope('calendar:write', 'scheduling:read')
  @Post()
  @ApiFormAction(NewCalendarFeed, 'Create a calendar feed', { status: 201, description: 'The only response that shows the address.' })
  async create(@WriteContextOf() context: WriteContext, @Body() input: CreateCalendarFeed, @Res({ passthrough: true }) response: Response) {
    const created = await asData(this.feeds.create(context, input));
    response.setHeader('Location', `${this.config.publicUrl}/api/calendar-feeds/${created.data.id}`);
    return created;
  }

  @Scope('calendar:write')
  @Delete(':calendar_feed_id')
  @ApiDelete('calendar_feed_id', 'Delete a calendar feed and its reminders')
  delete(@WriteContextOf() context: WriteContext, @Param('calendar_feed_id', ParseRecordIdPipe) id: number) {
    return asId(this.feeds.delete(context, id));
  }
}
