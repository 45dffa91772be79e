import { AccountRecord } from 'frontdesk';
import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Coupon } from './coupon.entity';

@Entity('coupon_redemptions')
export class Redemption extends AccountRecord {
  @Index()
  @Column({ type: 'int' })
  coupon_id: number;

  /** Of the same account. */
  @ManyToOne(() => Coupon, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'coupon_id' })
  coupon: Coupon;

  @Column({ type: 'varchar', length: 64 })
  customer: string;
}
