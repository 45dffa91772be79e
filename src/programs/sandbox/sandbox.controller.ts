import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../auth/route-policies';
import { DOCUMENT } from './openapi';
import { Sandbox } from './sandbox';
import { ClockStep, NewAccount, NewAnswers, NewNames, SentQuery, SettleOptions } from './sandbox.dto';

/** Exists only in a sandbox. Needs no key: see `refuseStrangers`. */
@Public()
@ApiExcludeController()
@Controller('sandbox')
export class SandboxController {
  constructor(private readonly sandbox: Sandbox) {}

  @Get('openapi.json')
  describe() {
    return DOCUMENT;
  }

  @Post('accounts')
  account(@Body() options: NewAccount) {
    return this.sandbox.account(options);
  }

  @Get('sent')
  sent(@Query() filter: SentQuery) {
    return this.sandbox.sent({ ...filter });
  }

  @Post('answers')
  @HttpCode(204)
  answer(@Body() rule: NewAnswers) {
    this.sandbox.answer(rule);
  }

  @Post('dns')
  @HttpCode(204)
  dns(@Body() { name, ...answer }: NewNames) {
    this.sandbox.dns(name, answer as Parameters<Sandbox['dns']>[1]); // which checks that it is complete
  }

  @Post('clock')
  @HttpCode(200)
  async clock(@Body() { advance }: ClockStep) {
    return { now: await this.sandbox.advance(advance) };
  }

  @Post('settle')
  @HttpCode(204)
  settle(@Body() { account }: SettleOptions) {
    return this.sandbox.settle(account === undefined ? undefined : { id: account });
  }

  @Delete()
  @HttpCode(204)
  reset() {
    return this.sandbox.reset();
  }
}
