import { Controller, Get, Injectable, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { AccountSlots } from '../platform/common/concurrency';
import { PaginationInterceptor } from '../platform/http/pagination.interceptor';
import { RequestError } from '../platform/http/request-error';
import { asList, asRecord } from '../platform/http/responses';
import { ApiIfNoneMatch, Refuses } from '../platform/http/routes';
import { onClose } from '../platform/http/server/response-close';
import { SchedulingQueryPipe } from './scheduling-query.pipe';
import type { SchedulingQuery } from './scheduling-sql';
import { SchedulingService } from './scheduling.service';

const MAX_LISTS = 40;
const MAX_LISTS_OF_ACCOUNT = 32;

/**
 * Limits how many complete lists are sent at once. The RequestInterceptor doesn't: a list frees its slot once its records (beyond the first
 * 10,000, only their ids) have been read. While the client isn't reading, the unsent part stays in memory: up to 10,000
 * records and the ids of the rest.
 */
@Injectable()
export class StreamLimiter extends AccountSlots {
  constructor() {
    super(MAX_LISTS, MAX_LISTS_OF_ACCOUNT);
  }

  /** Takes a slot until the response closes. @throws RequestError 503 unavailable */
  add(accountId: number, response: Response): void {
    if (!this.tryAcquire(accountId)) {
      throw RequestError.unavailable('Too many complete lists are being sent. Read those that are open, ask for pages, or try again.');
    }
    onClose(response, () => this.release(accountId));
  }
}

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
