import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../auth/route-policies';
import { NeedsNoIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ReadsOwnBody } from '../../platform/http/input/body-reader';
import { TwilioCallbacks } from './twilio-callbacks';

/** Not in the OpenAPI document: only Twilio calls it. */
@Public()
@ApiExcludeController()
@Controller('callbacks/twilio')
export class TwilioCallbacksController {
  constructor(private readonly callbacks: TwilioCallbacks) {}

  @Post()
  @HttpCode(204)
  @ReadsOwnBody()
  @NeedsNoIdempotencyKey()
  receive(@Req() request: Request) {
    return this.callbacks.recordStatus(request);
  }
}
