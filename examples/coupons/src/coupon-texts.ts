import type { DescribedEvent, EventText } from 'frontdesk';
import type { CouponRecord } from './coupon.dto';

/** What handlers other than webhooks send. `coupon` is null when it is gone. */
export function describeCoupon({ type }: DescribedEvent, coupon: CouponRecord | null): EventText | undefined {
  if (type !== 'coupon.updated' || !coupon || coupon.redeemed < coupon.max_redemptions) return undefined;
  return {
    title: 'Coupon used up',
    text: `${coupon.code} has been redeemed ${coupon.redeemed} of ${coupon.max_redemptions} times. Raise max_redemptions to go on.`,
  };
}
