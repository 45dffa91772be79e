import { Body, Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Scope } from '../auth/route-policies';
import { WriteContextOf } from '../auth/caller';
import type { WriteContext } from '../platform/common/write-context';
import { NoFields, RecordId } from '../platform/http/input/fields';
import { RefusesIdempotencyKey } from '../platform/http/input/idempotency-key';
import { ActionRoute } from '../platform/http/routes';
import { asData } from '../platform/http/responses';
import { WORK_ENDS } from '../platform/http/server/http-server';
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
