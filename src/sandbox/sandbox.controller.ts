import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/route-policies';
import { DOCUMENT } from './openapi';
import { ClockStep, NewAccount, NewAnswers, NewNames, SentQuery, SettleOptions } from './sandbox.dto';
import { Steering } from './steering';

/** Only `frontdesk sandbox` and tests have these routes. They need no key: see `refuseStrangers`. */
@Public()
@ApiExcludeController()
@Controller('sandbox')
export class SandboxController {
  constructor(private readonly steering: Steering) {}

  @Get('openapi.json')
  describe() {
    return DOCUMENT;
  }

  @Post('accounts')
  account(@Body() options: NewAccount) {
    return this.steering.account(options);
  }

  @Get('sent')
  sent(@Query() filter: SentQuery) {
    return this.steering.sent({ ...filter });
  }

  @Post('answers')
  @HttpCode(204)
  answer(@Body() rule: NewAnswers) {
    this.steering.answer(rule);
  }

  @Post('dns')
  @HttpCode(204)
  dns(@Body() { name, ...answer }: NewNames) {
    this.steering.dns(name, answer);
  }

  @Post('clock')
  @HttpCode(200)
  async clock(@Body() { advance }: ClockStep) {
    return { now: await this.steering.advance(advance) };
  }

  @Post('settle')
  @HttpCode(204)
  settle(@Body() { account }: SettleOptions) {
    return this.steering.settle(account);
  }

  @Delete()
  @HttpCode(204)
  reset() {
    return this.steering.reset();
  }
}
