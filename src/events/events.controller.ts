import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CallerOf } from '../auth/caller';
import type { Caller } from '../auth/accounts/api-keys.service';
import { Scope } from '../auth/route-policies';
import { Refuses } from '../http/openapi/routes';
import { WORK_ENDS } from '../http/server/http-server';
import { EventPageResponse, EventQuery } from './event.dto';
import { FeedService } from './feed.service';

@ApiTags('Events')
@Controller('api/events')
export class EventsController {
  constructor(private readonly feed: FeedService) {}

  @Scope('events:read')
  @Get()
  @ApiOperation({
    summary: 'Read events',
    description: 'What changed, in order, without a gap: follow `meta.next`. Shows events of the records that the key may read.',
  })
  @EventPageResponse()
  @Refuses('cursor_expired')
  read(@CallerOf() caller: Caller, @Query() query: EventQuery, @Res({ passthrough: true }) response: Response) {
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    return this.feed.read(caller, query, { onWait: () => response.emit(WORK_ENDS), signal: closed.signal });
  }
}
