import { Controller, Get, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { PaginationInterceptor } from '../platform/http/pagination.interceptor';
import { asList, asRecord } from '../platform/http/responses';
import { ApiIfNoneMatch, Refuses } from '../platform/http/routes';
import { SchedulingQueryPipe } from './scheduling-query.pipe';
import type { SchedulingQuery } from './scheduling-sql';
import { SchedulingService } from './scheduling.service';
import { StreamLimiter } from './stream-limiter';

const DESCRIPTION = `Returns every record that matches the filters, or one page when \`page\` or \`results_per_page\` is given.
With the collection's id parameter, returns that record; only \`api\` may be sent with it.`;

/** SchedulingDocument adds the parameters and the records of each collection to the OpenAPI document. */
@ApiTags('Scheduling')
@Controller('scheduling')
export class SchedulingController {
  constructor(
    private readonly scheduling: SchedulingService,
    private readonly streams: StreamLimiter,
  ) {}

  /** `api` names the collection: the pipe finds it, and checks the other parameters against it. */
  @Get()
  @Scope('scheduling:read')
  @UseInterceptors(PaginationInterceptor)
  @ApiOperation({ summary: 'Read scheduling records', description: DESCRIPTION })
  @ApiIfNoneMatch()
  @Refuses('not_found')
  async read(
    @AccountId() accountId: number,
    @Query(SchedulingQueryPipe) query: SchedulingQuery,
    @Res({ passthrough: true }) response: Response,
  ) {
    if ('id' in query) return asRecord(this.scheduling.find(accountId, query), response);
    if (query.page) return this.scheduling.findPage(accountId, query, query.page);
    this.streams.add(accountId, response);
    return asList(await this.scheduling.findAll(accountId, query), response);
  }
}
