import { AccountRecord } from 'frontdesk';
import { Column, Entity, Index } from 'typeorm';

@Entity('coupons')
@Index(['account_id', 'code'], { unique: true })
@Index(['account_id', 'code_folded'])
@Index(['account_id', 'percent'])
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class Coupon extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  code: string;

  @Column({ type: 'varchar', length: 96, default: '' })
  code_folded: string;

  @Column({ type: 'int' })
  percent: number;

  @Column({ type: 'int' })
  max_redemptions = 1;

  @Column({ type: 'int' })
  redeemed = 0;

  /** Null: without an end. */
  @Index()
  @Column({ type: 'varchar', length: 19, nullable: true })
  valid_until: string | null = null;
}
