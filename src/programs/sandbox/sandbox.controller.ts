import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiExcludeController, ApiExcludeEndpoint, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Public } from '../../auth/route-policies';
import { Sandbox } from './sandbox';
import {
  AccountOptions,
  AnswerRule,
  CallAnswer,
  ClockStep,
  DnsRule,
  NewTls,
  PressedKey,
  SandboxAccount,
  SandboxTime,
  Sent,
  SentFilter,
  SettleOptions,
} from './sandbox.dto';

/** Exists only in a sandbox. Needs no key: see `refuseWebPages`. */
@Public()
@ApiExcludeController()
@Controller('sandbox')
export class SandboxController {
  constructor(private readonly sandbox: Sandbox) {}

  @ApiExcludeEndpoint()
  @Get('openapi.json')
  describe() {
    return this.sandbox.document();
  }

  @ApiOperation({ summary: 'Create an account with a key' })
  @ApiCreatedResponse({ type: SandboxAccount })
  @Post('accounts')
  account(@Body() options: AccountOptions) {
    return this.sandbox.account(options);
  }

  @ApiOperation({ summary: 'List what was sent, oldest first' })
  @ApiOkResponse({ type: [Sent] })
  @Get('sent')
  sent(@Query() filter: SentFilter) {
    return this.sandbox.sent({ ...filter });
  }

  @ApiOperation({ summary: 'Set how receivers answer' })
  @Post('answers')
  @HttpCode(204)
  answer(@Body() rule: AnswerRule) {
    this.sandbox.answer(rule);
  }

  @ApiOperation({ summary: 'Set the answers of name servers' })
  @Post('dns')
  @HttpCode(204)
  dns(@Body() { name, ...answer }: DnsRule) {
    this.sandbox.dns(name, answer as Parameters<Sandbox['dns']>[1]); // which checks that it is complete
  }

  @ApiOperation({ summary: 'Set what visitors of a domain get over TLS' })
  @Post('tls')
  @HttpCode(204)
  tls(@Body() { host, ...answer }: NewTls) {
    this.sandbox.tls(host, answer);
  }

  @ApiOperation({ summary: 'Press a key in a call that waits for one' })
  @ApiOkResponse({ type: CallAnswer })
  @Post('keys')
  @HttpCode(200)
  async press(@Body() { id, key }: PressedKey) {
    return { twiml: await this.sandbox.press({ id }, key) };
  }

  @ApiOperation({ summary: 'Advance the clock' })
  @ApiOkResponse({ type: SandboxTime })
  @Post('clock')
  @HttpCode(200)
  async clock(@Body() { advance }: ClockStep) {
    return { now: await this.sandbox.advance(advance) };
  }

  @ApiOperation({ summary: 'Wait until nothing is due or in progress' })
  @Post('settle')
  @HttpCode(204)
  settle(@Body() { account }: SettleOptions) {
    return this.sandbox.settle(account === undefined ? undefined : { id: account });
  }

  @ApiOperation({ summary: 'Forget everything but the first account and its key' })
  @Delete()
  @HttpCode(204)
  reset() {
    return this.sandbox.reset();
  }
}
