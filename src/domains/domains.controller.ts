import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import { Config } from '../platform/config/config';
import type { WriteContext } from '../platform/common/write-context';
import { asCreated, asId, asRecord } from '../platform/http/responses';
import { ParseRecordIdPipe } from '../platform/http/input/parse-record-id.pipe';
import { ApiCreate, ApiDelete, ApiRead, ApiReadPart, ApiUpdate, Paginated, ApiError } from '../platform/http/routes';
import { CreateDomain, DomainQuery, DomainRecord, DomainSettings, ListedDomain, UpdateDomain } from './domain.dto';
import { DomainsService } from './domains.service';

@ApiTags('Custom domains')
@Controller('api/domains')
export class DomainsController {
  constructor(
    private readonly domains: DomainsService,
    private readonly config: Config,
  ) {}

  @Scope('domains:read')
  @Get()
  @Paginated(ListedDomain, 'List domains')
  findPage(@AccountId() accountId: number, @Query() query: DomainQuery) {
    return this.domains.findPage(accountId, query);
  }

  @Scope('domains:read')
  @Get(':domain_id')
  @ApiRead('domain_id', DomainRecord, 'Read a domain')
  find(@AccountId() accountId: number, @Param('domain_id', ParseRecordIdPipe) id: number, @Res({ passthrough: true }) response: Response) {
    return asRecord(this.domains.find(accountId, id), response);
  }

  @Scope('domains:read')
  @Get(':domain_id/settings')
  @ApiReadPart('domain_id', DomainSettings, 'Read the settings of a domain')
  findSettings(
    @AccountId() accountId: number,
    @Param('domain_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.domains.findSettings(accountId, id), response);
  }

  @Scope('domains:write')
  @ApiError('host_taken')
  @ApiError('limit_reached')
  @Post()
  @ApiCreate('Create a domain')
  create(@WriteContextOf() context: WriteContext, @Body() input: CreateDomain, @Res({ passthrough: true }) response: Response) {
    return asCreated(this.domains.create(context, input), response, `${this.config.publicUrl}/api/domains`);
  }

  @Scope('domains:write')
  @ApiError('host_taken')
  @Post(':domain_id')
  @HttpCode(200)
  @ApiUpdate('domain_id', 'Update a domain')
  update(@WriteContextOf() context: WriteContext, @Param('domain_id', ParseRecordIdPipe) id: number, @Body() changes: UpdateDomain) {
    return asId(this.domains.update(context, id, changes));
  }

  @Scope('domains:write')
  @Delete(':domain_id')
  @ApiDelete('domain_id', 'Delete a domain')
  delete(@WriteContextOf() context: WriteContext, @Param('domain_id', ParseRecordIdPipe) id: number) {
    return asId(this.domains.delete(context, id));
  }
}
