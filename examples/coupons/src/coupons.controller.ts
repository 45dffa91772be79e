import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AccountId,
  ApiCreate,
  ApiDelete,
  ApiRead,
  ApiUpdate,
  asCreated,
  asId,
  asRecord,
  Config,
  Paginated,
  ParseRecordIdPipe,
  Scope,
  type WriteContext,
  WriteContextOf,
} from 'frontdesk';
import { CouponQuery, CouponRecord, CreateCoupon, UpdateCoupon } from './coupon.dto';
import { CouponsService } from './coupons.service';

@ApiTags('Coupons')
@Controller('api/coupons')
export class CouponsController {
  constructor(
    private readonly coupons: CouponsService,
    private readonly config: Config,
  ) {}

  @Scope('coupons:read')
  @Get()
  @Paginated(CouponRecord, 'List coupons')
  findPage(@AccountId() accountId: number, @Query() query: CouponQuery) {
    return this.coupons.findPage(accountId, query);
  }

  @Scope('coupons:read')
  @Get(':coupon_id')
  @ApiRead('coupon_id', CouponRecord, 'Read a coupon')
  find(@AccountId() accountId: number, @Param('coupon_id', ParseRecordIdPipe) id: number, @Res({ passthrough: true }) response: Response) {
    return asRecord(this.coupons.find(accountId, id), response);
  }

  @Scope('coupons:write')
  @Post()
  @ApiCreate('Create a coupon')
  create(@WriteContextOf() context: WriteContext, @Body() input: CreateCoupon, @Res({ passthrough: true }) response: Response) {
    return asCreated(this.coupons.create(context, input), response, `${this.config.publicUrl}/api/coupons`);
  }

  @Scope('coupons:write')
  @Post(':coupon_id')
  @HttpCode(200)
  @ApiUpdate('coupon_id', 'Update a coupon')
  update(@WriteContextOf() context: WriteContext, @Param('coupon_id', ParseRecordIdPipe) id: number, @Body() changes: UpdateCoupon) {
    return asId(this.coupons.update(context, id, changes));
  }

  @Scope('coupons:write')
  @Delete(':coupon_id')
  @ApiDelete('coupon_id', 'Delete a coupon')
  delete(@WriteContextOf() context: WriteContext, @Param('coupon_id', ParseRecordIdPipe) id: number) {
    return asId(this.coupons.delete(context, id));
  }
}
