import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Delivery } from '../delivery.entity';

/**
 * Twilio's id of a message or a call, and its delivery. A report may arrive before the response that has the sid: then it is kept here
 * until the delivery is known, for a day.
 */
@Entity('receipts')
@Index(['delivery_id', 'datetime'])
export class SidOfDelivery {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  sid: string;

  /** Null while unknown. */
  @Column({ type: 'int', nullable: true })
  delivery_id: number | null;

  @ManyToOne(() => Delivery, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'delivery_id' })
  delivery: Delivery;

  /** JSON, as in `Delivery`: the furthest report that came before the delivery was known. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  receipt: string | null;

  /** Creation time. */
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
