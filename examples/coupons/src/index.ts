import { randomUUID } from 'node:crypto';
import { defineExtension } from 'frontdesk';
import { Coupons1796000000000 } from './1796000000000-coupons';
import { CouponEnds1796100000000 } from './1796100000000-coupon-ends';
import { CouponUpload } from './coupon-upload';
import { COUPON_COLUMNS } from './coupon.columns';
import { Coupon } from './coupon.entity';
import { couponsCommand } from './coupons.command';
import { CouponsModule } from './coupons.module';
import { OldCoupons } from './old-coupons';
import { Redemption } from './redemption.entity';

export default defineExtension({
  name: 'coupons',
  modules: [CouponsModule],
  entities: [Coupon, Redemption, CouponUpload],
  migrations: [Coupons1796000000000, CouponEnds1796100000000],
  importable: [COUPON_COLUMNS],
  commands: [couponsCommand],
  jobs: [OldCoupons],
  tests: { forms: { '/api/coupons': () => ({ code: randomUUID().slice(0, 32), percent: '10' }) } },
});
