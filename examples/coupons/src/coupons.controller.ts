import { Body, Controller, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AccountId,
  asCreated,
  asId,
  asRecord,
  Config,
  CreateRoute,
  DeleteRoute,
  ListRoute,
  ReadRoute,
  RecordId,
  Scope,
  UpdateRoute,
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
  @ListRoute(CouponRecord, 'List coupons')
  findPage(@AccountId() accountId: number, @Query() query: CouponQuery) {
    return this.coupons.findPage(accountId, query);
  }

  @Scope('coupons:read')
  @ReadRoute('coupon_id', CouponRecord, 'Read a coupon')
  find(@AccountId() accountId: number, @RecordId('coupon_id') id: number, @Res({ passthrough: true }) response: Response) {
    return asRecord(this.coupons.find(accountId, id), response);
  }

  @Scope('coupons:write')
  @CreateRoute('Create a coupon')
  create(
    @WriteContextOf('coupons.create') context: WriteContext,
    @Body() input: CreateCoupon,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asCreated(this.coupons.create(context, input), response, `${this.config.publicUrl}/api/coupons`);
  }

  @Scope('coupons:write')
  @UpdateRoute('coupon_id', 'Update a coupon')
  update(@WriteContextOf('coupons.update') context: WriteContext, @RecordId('coupon_id') id: number, @Body() changes: UpdateCoupon) {
    return asId(this.coupons.update(context, id, changes));
  }

  @Scope('coupons:write')
  @DeleteRoute('coupon_id', 'Delete a coupon')
  delete(@WriteContextOf('coupons.delete') context: WriteContext, @RecordId('coupon_id') id: number) {
    return asId(this.coupons.delete(context, id));
  }
}
