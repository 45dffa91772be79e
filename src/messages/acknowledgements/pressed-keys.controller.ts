import { Controller, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../auth/route-policies';
import { askForKey, sayResult } from '../../deliveries/channels/call-twiml';
import { TwilioCallbacks } from '../../deliveries/receipts/twilio-callbacks';
import { Config } from '../../platform/config/config';
import { NeedsNoIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { ReadsOwnBody } from '../../platform/http/input/body-reader';
import { Acknowledgements } from './acknowledgements';

/** Not in the OpenAPI document: only Twilio calls it. */
@Public()
@ApiExcludeController()
@Controller('callbacks/twilio')
export class PressedKeysController {
  constructor(
    private readonly callbacks: TwilioCallbacks,
    private readonly acknowledgements: Acknowledgements,
    private readonly config: Config,
  ) {}

  /** Handles a key pressed in a call: 1 acknowledges the message. The call continues with the TwiML in the response. */
  @Post(':token')
  @HttpCode(200)
  @Header('Content-Type', 'text/xml; charset=utf-8')
  @ReadsOwnBody()
  @NeedsNoIdempotencyKey()
  press(@Req() request: Request, @Param('token') token: string): Promise<string> {
    const { twilio, twilioCallLanguage: language } = this.config.channels;
    const action = twilio?.keyCallback && `${twilio.keyCallback}/${token}`;
    return this.callbacks.receive(request, action, async ({ Digits }) => {
      const linked = await this.acknowledgements.find(token);
      if (!linked) return sayResult('gone', language);
      if (linked.message.acknowledged === null) {
        if (Digits !== '1') return askForKey(language, action!);
        await this.acknowledgements.byLink(linked, request.id, 'call');
      }
      return sayResult('acknowledged', language);
    });
  }
}
