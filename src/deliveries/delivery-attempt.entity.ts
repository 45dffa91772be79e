import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../auth/accounts/account-owned';
import type { Outcome } from './channels/channel';
import { Delivery } from './delivery.entity';

/** An attempt that has ended. */
@Entity('delivery_attempts')
@Index(['account_id', 'id'])
export class DeliveryAttempt extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Index()
  @Column({ type: 'int' })
  delivery_id: number;

  @ManyToOne(() => Delivery, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'delivery_id' })
  delivery: Delivery;

  /** Counts from 1 within the delivery. */
  @Column({ type: 'int' })
  number: number;

  /** When it began. */
  @Column({ type: 'varchar', length: 19 })
  datetime: string;

  @Column({ type: 'int' })
  duration_ms: number;

  @Column({ type: 'varchar', length: 32 })
  outcome: Outcome;

  /** The receiver's status code. */
  @Column({ type: 'int', nullable: true })
  status: number | null;

  @Column({ type: 'varchar', length: 255 })
  detail: string;
}
