import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../common/write-context';
import { NoFields, RecordId } from '../http/input/fields';
import { RefusesIdempotencyKey } from '../http/input/idempotency-key';
import { ActionRoute, ReadPartRoute } from '../http/openapi/routes';
import { asData } from '../http/responses';
import { SigningSecretRecord } from './notification-handler.dto';
import { SigningSecretsService } from './signing-secrets.service';

@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class SigningSecretsController {
  constructor(private readonly secrets: SigningSecretsService) {}

  @Scope('secrets:read')
  @ReadPartRoute('notification_handler_id', 'signing-secret', SigningSecretRecord, 'Read the signing secret of a webhook')
  find(@WriteContextOf('SigningSecretsController.find') context: WriteContext, @RecordId('notification_handler_id') id: number) {
    return asData(this.secrets.find(context, id));
  }

  @Scope('secrets:read', 'notification-handlers:write')
  @RefusesIdempotencyKey()
  @ActionRoute('notification_handler_id', 'signing-secret', 'Replace the signing secret of a webhook', SigningSecretRecord)
  replace(
    @WriteContextOf('SigningSecretsController.replace') context: WriteContext,
    @RecordId('notification_handler_id') id: number,
    @Body() _: NoFields,
  ) {
    return asData(this.secrets.replace(context, id));
  }
}
