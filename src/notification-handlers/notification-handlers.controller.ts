import { Body, Controller, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, HasScope, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { NoFields, RecordId } from '../platform/http/input/fields';
import { RefusesIdempotencyKey } from '../platform/http/input/idempotency-key';
import { FormCheckedBy } from '../platform/http/input/validation.guard';
import { ActionRoute, CreateRoute, DeleteRoute, ListRoute, ReadPartRoute, ReadRoute, Refuses, UpdateRoute } from '../platform/http/routes';
import { asCreated, asData, asId, asRecord } from '../platform/http/responses';
import {
  CreateNotificationHandler,
  NotificationHandlerQuery,
  NotificationHandlerRecord,
  SigningSecretRecord,
  UpdateNotificationHandler,
} from './notification-handler.dto';
import { NotificationHandlersService, StoredTypeCheck } from './notification-handlers.service';
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
  @ListRoute(NotificationHandlerRecord, 'List notification handlers')
  findPage(@AccountId() accountId: number, @Query() query: NotificationHandlerQuery, @HasScope('secrets:read') showSecrets: boolean) {
    return this.handlers.findPage(accountId, query, showSecrets);
  }

  @Scope('notification-handlers:read')
  @ReadRoute('notification_handler_id', NotificationHandlerRecord, 'Read a notification handler')
  find(
    @AccountId() accountId: number,
    @RecordId('notification_handler_id') id: number,
    @HasScope('secrets:read') showSecrets: boolean,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.handlers.find(accountId, id, showSecrets), response, !showSecrets);
  }

  @Scope('notification-handlers:write')
  @Refuses('limit_reached')
  @CreateRoute('Create a notification handler')
  create(
    @WriteContextOf('NotificationHandlersController.create') context: WriteContext,
    @Body() input: CreateNotificationHandler,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asCreated(this.handlers.create(context, input), response, `${this.config.publicUrl}/api/notification-handlers`);
  }

  @Scope('notification-handlers:write')
  @FormCheckedBy(StoredTypeCheck)
  @UpdateRoute('notification_handler_id', 'Update a notification handler')
  update(
    @WriteContextOf('NotificationHandlersController.update') context: WriteContext,
    @RecordId('notification_handler_id') id: number,
    @Body() changes: UpdateNotificationHandler,
  ) {
    return asId(this.handlers.update(context, id, changes));
  }

  @Scope('notification-handlers:write')
  @DeleteRoute('notification_handler_id', 'Delete a notification handler')
  delete(@WriteContextOf('NotificationHandlersController.delete') context: WriteContext, @RecordId('notification_handler_id') id: number) {
    return asId(this.handlers.delete(context, id));
  }

  @Scope('secrets:read')
  @ReadPartRoute('notification_handler_id', 'signing-secret', SigningSecretRecord, 'Read the signing secret of a webhook')
  findSecret(
    @WriteContextOf('NotificationHandlersController.findSecret') context: WriteContext,
    @RecordId('notification_handler_id') id: number,
  ) {
    return asData(this.secrets.find(context, id));
  }

  @Scope('secrets:read', 'notification-handlers:write')
  @RefusesIdempotencyKey()
  @ActionRoute('notification_handler_id', 'signing-secret', 'Replace the signing secret of a webhook', SigningSecretRecord)
  replaceSecret(
    @WriteContextOf('NotificationHandlersController.replaceSecret') context: WriteContext,
    @RecordId('notification_handler_id') id: number,
    @Body() _: NoFields,
  ) {
    return asData(this.secrets.replace(context, id));
  }
}
