import { Body, Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Scope } from '../auth/scope.decorator';
import { WriteContextOf } from '../auth/write-context-of.decorator';
import type { WriteContext } from '../common/write-context';
import { NoFields } from '../http/input/field';
import { RefusesIdempotencyKey } from '../http/input/idempotency-key';
import { RecordId } from '../http/input/record-id';
import { ActionRoute } from '../http/openapi/routes';
import { asData } from '../http/responses/responses';
import { WORK_ENDS } from '../http/server/json-adapter';
import { AttemptRecord } from './delivery.dto';
import { HandlerTestsService } from './handler-tests.service';

@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class HandlerTestsController {
  constructor(private readonly tests: HandlerTestsService) {}

  @Scope('messages:write')
  @RefusesIdempotencyKey()
  @ActionRoute('notification_handler_id', 'test', 'Test a notification handler', AttemptRecord)
  test(
    @WriteContextOf('HandlerTestsController.test') context: WriteContext,
    @RecordId('notification_handler_id') id: number,
    @Body() _: NoFields,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asData(this.tests.run(context, id, () => response.emit(WORK_ENDS)));
  }
}
