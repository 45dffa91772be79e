import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { Config } from '../config/config';
import { asRecord, sendList } from '../http/responses';
import { sendJson } from '../http/server/json-adapter';
import { QueryCheckedBy } from '../http/input/validation.guard';
import { pageEnvelope } from '../http/pagination';
import { DocumentedScheduling } from './query/scheduling.openapi';
import { chooseQuery, ParsedQuery, type SchedulingQuery } from './query/scheduling-query';
import { SchedulingPages } from './scheduling-pages';
import { SchedulingService } from './scheduling.service';
import { StreamLimiter } from './stream-limiter';

/** Serves every collection; `api` selects one. */
@ApiTags('Scheduling')
@Controller('scheduling')
export class SchedulingController {
  constructor(
    private readonly scheduling: SchedulingService,
    private readonly pages: SchedulingPages,
    private readonly streams: StreamLimiter,
    private readonly config: Config,
  ) {}

  @Scope('scheduling:read')
  @DocumentedScheduling()
  @QueryCheckedBy(chooseQuery)
  @Get()
  async read(
    @AccountId() accountId: number,
    @ParsedQuery() parsed: SchedulingQuery['parsed'],
    @Req() request: Request,
    @Res() response: Response,
  ) {
    if ('id' in parsed) sendJson(response, await asRecord(this.scheduling.find(accountId, parsed), response));
    else if (parsed.page) response.json(pageEnvelope(await this.pages.find(accountId, parsed, parsed.page), this.linkOf(request)));
    else {
      this.streams.add(accountId, response);
      await sendList(request, response, await this.scheduling.findAll(accountId, parsed));
    }
  }

  /** Links keep the request's parameters, with the page last. */
  private linkOf(request: Request): (page: string) => string {
    const kept = new URL(request.originalUrl, this.config.publicUrl).searchParams;
    kept.delete('page');
    return (page) => `${this.config.publicUrl}/scheduling?${kept.toString()}&page=${page}`;
  }
}
