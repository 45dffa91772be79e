import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { FormLimits } from '../platform/http/input/body-reader';
import { RefusesIdempotencyKey } from '../platform/http/input/idempotency-key';
import { ParseRecordIdPipe } from '../platform/http/input/parse-record-id.pipe';
import { ApiAction, ApiCreate, ApiIfMatch, ApiRead, Paginated, ApiError, RepeatResponse } from '../platform/http/routes';
import { asCreatedOnce, asData, asRecord } from '../platform/http/responses';
import { Acknowledgements } from './acknowledgements/acknowledgements';
import { Acknowledgement, CancellationCounts, CreateMessage, MessageQuery, MessageRecord } from './message.dto';
import { MessagesService } from './messages.service';

/** A text of 4,000 characters takes up to 16 KB in UTF-8. */
const MAX_VALUE_BYTES = 16 * 1024;

@ApiTags('Messages')
@Controller('api/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly acknowledgements: Acknowledgements,
    private readonly config: Config,
  ) {}

  @Scope('messages:read')
  @Get()
  @Paginated(MessageRecord, 'List messages')
  findPage(@AccountId() accountId: number, @Query() query: MessageQuery) {
    return this.messages.findPage(accountId, query);
  }

  @Scope('messages:read')
  @Get(':message_id')
  @ApiRead('message_id', MessageRecord, 'Read a message')
  find(@AccountId() accountId: number, @Param('message_id', ParseRecordIdPipe) id: number, @Res({ passthrough: true }) response: Response) {
    return asRecord(this.messages.find(accountId, id), response);
  }

  @Scope('messages:write')
  @Post()
  @FormLimits({ valueBytes: MAX_VALUE_BYTES })
  @ApiCreate('Send a message')
  @ApiError('public_url_missing')
  @RepeatResponse('Id of an earlier message with this `dedup_key`, which counts this one as a repeat.')
  create(@WriteContextOf() context: WriteContext, @Body() input: CreateMessage, @Res({ passthrough: true }) response: Response) {
    return asCreatedOnce(this.messages.create(context, input), response, `${this.config.publicUrl}/api/messages`);
  }

  @Scope('messages:write')
  @RefusesIdempotencyKey()
  @Post(':message_id/cancellation')
  @HttpCode(200)
  @ApiAction('message_id', 'Cancel a message', CancellationCounts)
  @ApiIfMatch()
  cancel(@WriteContextOf() context: WriteContext, @Param('message_id', ParseRecordIdPipe) id: number) {
    return asData(this.messages.cancel(context, id));
  }

  @Scope('messages:write')
  @RefusesIdempotencyKey()
  @Post(':message_id/acknowledgement')
  @HttpCode(200)
  @ApiAction('message_id', 'Acknowledge a message', Acknowledgement)
  @ApiIfMatch()
  @ApiError('acknowledgement_not_requested')
  acknowledge(@WriteContextOf() context: WriteContext, @Param('message_id', ParseRecordIdPipe) id: number) {
    return asData(this.acknowledgements.byKey(context, id));
  }
}
