import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, CallerHasScope, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { ParseRecordIdPipe } from '../platform/http/input/parse-record-id.pipe';
import { RefusesIdempotencyKey } from '../platform/http/input/idempotency-key';
import { ApiAction, ApiCreate, ApiDelete, ApiRead, ApiResult, ApiUpdate, Paginated, ApiError } from '../platform/http/routes';
import { asCreated, asData, asId, asRecord } from '../platform/http/responses';
import {
  CreateNotificationHandler,
  NotificationHandlerQuery,
  NotificationHandlerRecord,
  SigningSecretRecord,
  UpdateNotificationHandler,
} from './notification-handler.dto';
import { NotificationHandlersService } from './notification-handlers.service';
import { SigningSecretsService } from './signing-secrets.service';

/** The API documents reads on the singular path and writes on the plural. Both serve everything; page links use the singular. */
@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class NotificationHandlersController {
  constructor(
    private readonly handlers: NotificationHandlersService,
    private readonly secrets: SigningSecretsService,
    private readonly config: Config,
  ) {}

  @Scope('notification-handlers:read')
  @Get()
  @Paginated(NotificationHandlerRecord, 'List notification handlers')
  findPage(@AccountId() accountId: number, @Query() query: NotificationHandlerQuery, @CallerHasScope('secrets:read') showSecrets: boolean) {
    return this.handlers.findPage(accountId, query, showSecrets);
  }

  @Scope('notification-handlers:read')
  @Get(':notification_handler_id')
  @ApiRead('notification_handler_id', NotificationHandlerRecord, 'Read a notification handler')
  find(
    @AccountId() accountId: number,
    @Param('notification_handler_id', ParseRecordIdPipe) id: number,
    @CallerHasScope('secrets:read') showSecrets: boolean,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.handlers.find(accountId, id, showSecrets), response, !showSecrets);
  }

  @Scope('notification-handlers:write')
  @ApiError('limit_reached')
  @Post()
  @ApiCreate('Create a notification handler')
  create(
    @WriteContextOf() context: WriteContext,
    @Body() input: CreateNotificationHandler,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asCreated(this.handlers.create(context, input), response, `${this.config.publicUrl}/api/notification-handlers`);
  }

  @Scope('notification-handlers:write')
  @Post(':notification_handler_id')
  @HttpCode(200)
  @ApiUpdate('notification_handler_id', 'Update a notification handler')
  update(
    @WriteContextOf() context: WriteContext,
    @Param('notification_handler_id', ParseRecordIdPipe) id: number,
    @Body() changes: UpdateNotificationHandler,
  ) {
    return asId(this.handlers.update(context, id, changes));
  }

  @Scope('notification-handlers:write')
  @Delete(':notification_handler_id')
  @ApiDelete('notification_handler_id', 'Delete a notification handler')
  delete(@WriteContextOf() context: WriteContext, @Param('notification_handler_id', ParseRecordIdPipe) id: number) {
    return asId(this.handlers.delete(context, id));
  }

  @Scope('secrets:read')
  @Get(':notification_handler_id/signing-secret')
  @ApiResult(SigningSecretRecord, 'Read the signing secret of a webhook', 'notification_handler_id')
  findSecret(@WriteContextOf() context: WriteContext, @Param('notification_handler_id', ParseRecordIdPipe) id: number) {
    return asData(this.secrets.find(context, id));
  }

  @Scope('secrets:read', 'notification-handlers:write')
  @RefusesIdempotencyKey()
  @Post(':notification_handler_id/signing-secret')
  @HttpCode(200)
  @ApiAction('notification_handler_id', 'Replace the signing secret of a webhook', SigningSecretRecord)
  replaceSecret(@WriteContextOf() context: WriteContext, @Param('notification_handler_id', ParseRecordIdPipe) id: number) {
    return asData(this.secrets.replace(context, id));
  }
}
