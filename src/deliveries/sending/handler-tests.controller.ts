import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Scope } from '../../auth/route-policies';
import { WriteContextOf } from '../../auth/caller';
import type { WriteContext } from '../../platform/common/write-context';
import { ParseRecordIdPipe } from '../../platform/http/input/parse-record-id.pipe';
import { RefusesIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ApiAction } from '../../platform/http/routes';
import { asData } from '../../platform/http/responses';
import { WORK_ENDS } from '../../platform/http/server/response-close';
import { AttemptRecord } from '../delivery.dto';
import { HandlerTestsService } from './handler-tests.service';

@ApiTags('Notification handlers')
@Controller(['api/notification-handler', 'api/notification-handlers'])
export class HandlerTestsController {
  constructor(private readonly tests: HandlerTestsService) {}

  @Scope('messages:write')
  @RefusesIdempotencyKey()
  @Post(':notification_handler_id/test')
  @HttpCode(200)
  @ApiAction('notification_handler_id', 'Test a notification handler', AttemptRecord)
  test(
    @WriteContextOf() context: WriteContext,
    @Param('notification_handler_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asData(this.tests.run(context, id, () => response.emit(WORK_ENDS)));
  }
}
