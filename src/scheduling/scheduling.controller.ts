import { Controller, Get, Query, Res, type Type } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { InputValidationPipe } from '../platform/http/input/validation.pipe';
import { RequestError } from '../platform/common/errors';
import { asList, asRecord } from '../platform/http/responses';
import { ApiError, ApiIfNoneMatch, Paginated } from '../platform/http/routes';
import { parameterName } from './collections/collection';
import { apiType } from './collections/collection-query.dto';
import { ServedCollections } from './collections/served-collections';
import { SchedulingService } from './scheduling.service';
import { StreamLimiter } from './stream-limiter';

const DESCRIPTION = `Returns every record that matches the filters, or one page when \`page\` or \`results_per_page\` is given.
With the collection's id parameter, returns that record; only \`api\` may be sent with it.`;

/** A repeated parameter is an array. */
type SentParameters = Readonly<Record<string, unknown>>;

/** SchedulingDocument adds the parameters and the records of each collection to the OpenAPI document. */
@ApiTags('Scheduling')
@Controller('scheduling')
export class SchedulingController {
  constructor(
    private readonly collections: ServedCollections,
    private readonly input: InputValidationPipe,
    private readonly scheduling: SchedulingService,
    private readonly streams: StreamLimiter,
  ) {}

  /** `api` names the collection; its DTO validates the other parameters. */
  @Get()
  @Scope('scheduling:read')
  @Paginated()
  @ApiOperation({ summary: 'Read scheduling records', description: DESCRIPTION })
  @ApiIfNoneMatch()
  @ApiError('not_found')
  async read(@AccountId() accountId: number, @Query() sent: SentParameters, @Res({ passthrough: true }) response: Response) {
    const dto = this.collections.dtos.get(sent.api);
    if (!dto) throw this.refuseApi(sent.api);
    if (parameterName(dto.collection.id) in sent) {
      const query = (await this.validate(sent, dto.OneRecord)).toQuery();
      return asRecord(this.scheduling.find(accountId, query), response);
    }
    const query = (await this.validate(sent, dto)).toQuery();
    if (query.page) return this.scheduling.findPage(accountId, query, query.page);
    this.streams.add(accountId, response);
    return asList(await this.scheduling.findAll(accountId, query), response);
  }

  /** Validates as `@Query()` does for a route with a single DTO. */
  private validate<T>(sent: SentParameters, metatype: Type<T>): Promise<T> {
    return Promise.resolve(this.input.transform(sent, { type: 'query', metatype }) as T);
  }

  private refuseApi(value: unknown): RequestError {
    const { expected } = apiType(this.collections.list);
    const source = { in: 'query', name: 'api' } as const;
    if (value === undefined || value === '') return RequestError.of('missing_parameter', `api is required: ${expected}.`, source);
    const accepted = Array.isArray(value) ? 'given once' : expected;
    return RequestError.of('invalid_parameter', `api must be ${accepted}.`, source);
  }
}
