import { Module } from '@nestjs/common';
import { CouponUploadsController } from './coupon-uploads.controller';
import { CouponUploadsService } from './coupon-uploads.service';
import { CouponsController } from './coupons.controller';
import { CouponsService } from './coupons.service';
import { RedemptionsController } from './redemptions.controller';
import { RedemptionsService } from './redemptions.service';

@Module({
  controllers: [CouponsController, RedemptionsController, CouponUploadsController],
  providers: [CouponsService, RedemptionsService, CouponUploadsService],
})
export class CouponsModule {}
