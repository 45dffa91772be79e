import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiConflictResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, ApiCreate, asCreated, Config, Paginated, Scope, type WriteContext, WriteContextOf } from 'frontdesk';
import { CreateRedemption, RedemptionQuery, RedemptionRecord } from './redemption.dto';
import { RedemptionsService } from './redemptions.service';

@ApiTags('Coupons')
@Controller('api/coupon-redemptions')
export class RedemptionsController {
  constructor(
    private readonly redemptions: RedemptionsService,
    private readonly config: Config,
  ) {}

  @Scope('coupons:read')
  @Get()
  @Paginated(RedemptionRecord, 'List redemptions')
  findPage(@AccountId() accountId: number, @Query() query: RedemptionQuery) {
    return this.redemptions.findPage(accountId, query);
  }

  @Scope('coupons:write')
  @ApiConflictResponse({ description: 'Coupon expired (`coupon_expired`); coupon used up (`coupon_used_up`); idempotency key in use.' })
  @Post()
  @ApiCreate('Redeem a coupon')
  create(@WriteContextOf() context: WriteContext, @Body() input: CreateRedemption, @Res({ passthrough: true }) response: Response) {
    return asCreated(this.redemptions.create(context, input), response, `${this.config.publicUrl}/api/coupon-redemptions`);
  }
}
