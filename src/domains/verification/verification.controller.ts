import { Body, Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, WriteContextOf } from '../../auth/caller';
import { Scope } from '../../auth/route-policies';
import type { WriteContext } from '../../platform/common/write-context';
import { NoFields, RecordId } from '../../platform/http/input/fields';
import { RefusesIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ActionRoute, ReadPartRoute } from '../../platform/http/routes';
import { asData } from '../../platform/http/responses';
import { WORK_ENDS } from '../../platform/http/server/http-server';
import { VerificationRecord } from './verification.dto';
import { VerificationsService } from './verifications.service';

@ApiTags('Custom domains')
@Controller('api/domains')
export class VerificationController {
  constructor(private readonly verifications: VerificationsService) {}

  @Scope('domains:read')
  @ReadPartRoute('domain_id', 'verification', VerificationRecord, 'Read the verification of a domain')
  find(@AccountId() accountId: number, @RecordId('domain_id') id: number) {
    return asData(this.verifications.find(accountId, id));
  }

  @Scope('domains:write')
  @RefusesIdempotencyKey()
  @ActionRoute('domain_id', 'verification', 'Verify a domain', VerificationRecord)
  check(
    @WriteContextOf('VerificationController.check') context: WriteContext,
    @RecordId('domain_id') id: number,
    @Body() _: NoFields,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asData(this.verifications.check(context, id, () => response.emit(WORK_ENDS)));
  }
}
