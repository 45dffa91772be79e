import { Controller, Get, Injectable, Query, Req, Res, type Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { AccountSlots } from '../platform/common/concurrency';
import { Config } from '../platform/config/config';
import { RequestError } from '../platform/http/request-error';
import { asRecord, sendList } from '../platform/http/responses';
import { sendJson } from '../platform/http/server/http-server';
import { pageEnvelope } from '../platform/http/pagination';
import { DocumentedScheduling } from './scheduling.openapi';
import { type SchedulingQuery, SchedulingQueryPipe } from './scheduling-query';
import { SchedulingService } from './scheduling.service';

const MAX_LISTS = 40;
const MAX_LISTS_OF_ACCOUNT = 32;

/**
 * Limits how many complete lists are sent at once. The AdmissionInterceptor doesn't: a list frees its slot once its records (beyond the first
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
    if (response.destroyed) return; // no `close` event will follow
    if (!this.tryAcquire(accountId)) {
      throw RequestError.unavailable('Too many complete lists are being sent. Read those that are open, ask for pages, or try again.');
    }
    response.once('close', () => this.release(accountId));
  }
}

/** Makes the controller that serves these collections; `api` selects one. */
export function schedulingControllerOf(collections: ConstructorParameters<typeof SchedulingQueryPipe>[0]): Type {
  @ApiTags('Scheduling')
  @Controller('scheduling')
  class SchedulingController {
    constructor(
      private readonly scheduling: SchedulingService,
      private readonly streams: StreamLimiter,
      private readonly config: Config,
    ) {}

    @Scope('scheduling:read')
    @DocumentedScheduling(collections)
    @Get()
    async read(
      @AccountId() accountId: number,
      @Query(new SchedulingQueryPipe(collections)) { parsed }: SchedulingQuery,
      @Req() request: Request,
      @Res() response: Response,
    ) {
      if ('id' in parsed) sendJson(response, await asRecord(this.scheduling.find(accountId, parsed), response));
      else if (parsed.page) {
        const page = await this.scheduling.findPage(accountId, parsed, parsed.page);
        sendJson(response, pageEnvelope(page, this.linkOf(request)));
      } else {
        this.streams.add(accountId, response);
        await sendList(request, response, await this.scheduling.findAll(accountId, parsed));
      }
    }

    /** Links keep the request's parameters, with the page last. */
    private linkOf(request: Request): Parameters<typeof pageEnvelope>[1] {
      const kept = new URL(request.originalUrl, this.config.publicUrl).searchParams;
      kept.delete('page');
      return (page) => `${this.config.publicUrl}/scheduling?${kept.toString()}&page=${page}`;
    }
  }

  return SchedulingController;
}
