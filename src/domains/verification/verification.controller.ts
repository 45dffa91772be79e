import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, WriteContextOf } from '../../auth/caller';
import { Scope } from '../../auth/route-policies';
import type { WriteContext } from '../../platform/common/write-context';
import { ParseRecordIdPipe } from '../../platform/http/input/parse-record-id.pipe';
import { RefusesIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ApiAction, ApiResult } from '../../platform/http/routes';
import { asData } from '../../platform/http/responses';
import { WORK_ENDS } from '../../platform/http/server/response-close';
import { VerificationRecord } from './verification.dto';
import { VerificationsService } from './verifications.service';

@ApiTags('Custom domains')
@Controller('api/domains')
export class VerificationController {
  constructor(private readonly verifications: VerificationsService) {}

  @Scope('domains:read')
  @Get(':domain_id/verification')
  @ApiResult(VerificationRecord, 'Read the verification of a domain', 'domain_id')
  find(@AccountId() accountId: number, @Param('domain_id', ParseRecordIdPipe) id: number) {
    return asData(this.verifications.find(accountId, id));
  }

  @Scope('domains:write')
  @RefusesIdempotencyKey()
  @Post(':domain_id/verification')
  @HttpCode(200)
  @ApiAction('domain_id', 'Verify a domain', VerificationRecord)
  check(
    @WriteContextOf() context: WriteContext,
    @Param('domain_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asData(this.verifications.check(context, id, () => response.emit(WORK_ENDS)));
  }
}
