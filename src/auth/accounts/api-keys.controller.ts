import { Body, Controller, Delete, Get, Param, Post, Query, SetMetadata } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { WriteContext } from '../../platform/common/write-context';
import { PageQuery } from '../../platform/http/list-query';
import { RefusesIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ParseRecordIdPipe } from '../../platform/http/input/parse-record-id.pipe';
import { asData, asId } from '../../platform/http/responses';
import { ApiFormAction, ApiId, ApiIdResponse, ApiResult, Paginated, READ_RECORD_KEY } from '../../platform/http/routes';
import { AccountId, CallerOf, WriteContextOf } from '../caller';
import { AnyKey, Scope } from '../route-policies';
import { AccountKeysService } from './account-keys.service';
import { ApiKeyRecord, CreateApiKey, CurrentApiKey, NewApiKey } from './api-key.dto';
import type { Caller } from './api-keys.service';

@ApiTags('API keys')
@Scope('keys:write')
@Controller('api/keys')
export class ApiKeysController {
  constructor(private readonly keys: AccountKeysService) {}

  @Get()
  @SetMetadata(READ_RECORD_KEY, ApiKeyRecord)
  @Paginated(ApiKeyRecord, 'List keys that are not revoked')
  findPage(@AccountId() accountId: number, @Query() query: PageQuery) {
    return this.keys.findPage(accountId, query);
  }

  @AnyKey()
  @Get('current')
  @ApiResult(CurrentApiKey, 'Read the key of this request')
  findCurrent(@CallerOf() caller: Caller) {
    return asData(this.keys.findCurrent(caller));
  }

  @Post()
  @RefusesIdempotencyKey()
  @ApiFormAction(NewApiKey, 'Create a key', { status: 201, description: 'The only response that shows the key.' })
  create(@WriteContextOf() context: WriteContext, @Body() input: CreateApiKey) {
    return asData(this.keys.create(context, input));
  }

  @Delete(':key_id')
  @ApiId('key_id')
  @ApiOperation({ summary: 'Revoke a key', description: 'It stops working within a second, in every process.' })
  @ApiIdResponse('Id of the revoked key.')
  revoke(@WriteContextOf() context: WriteContext, @Param('key_id', ParseRecordIdPipe) id: number) {
    return asId(this.keys.revoke(context, id));
  }
}
