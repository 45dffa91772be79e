import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned, AccountRecord } from '../auth/accounts/account.entity';
import type { Outcome } from './channels/channel';
import { Message } from './messages/message.entity';

export const STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export type DeliveryStatus = (typeof STATUSES)[number];

/** One message through one handler. Numeric times are milliseconds since 1970. */
@Entity('deliveries')
@Index(['account_id', 'datetime'])
@Index(['lane', 'lease', 'next_attempt'])
@Index(['account_id', 'status'])
@Index(['message_id', 'status'])
export class Delivery extends AccountRecord {
  @Column({ type: 'int' })
  message_id: number;

  @ManyToOne(() => Message, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'message_id' })
  message: Message;

  /** May have been deleted since. */
  @Index()
  @Column({ type: 'int' })
  handler_id: number;

  /** The handler's type when the message was created. */
  @Column({ type: 'varchar', length: 32 })
  type: string;

  /** See `DeliveryLane`. */
  @Column({ type: 'varchar', length: 64 })
  lane: string;

  @Column({ type: 'varchar', length: 16 })
  status: DeliveryStatus;

  /** Claimed attempts, except those given back. */
  @Column({ type: 'int' })
  attempts: number;

  /** Attempts ended since creation or the last retry: the position in the series of waits. */
  @Column({ type: 'int' })
  tries: number;

  /** When it is due, also while claimed; null when finished. */
  @Column({ type: 'bigint', nullable: true })
  next_attempt: number | null;

  /** Token of the cycle that claimed it, maybe ahead of the attempt; null while unclaimed. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  lease: string | null;

  /** When it was claimed; the lease ends LEASE_MS later. */
  @Column({ type: 'bigint', nullable: true })
  begun: number | null;

  /** Whether a claim has passed the daily limit; later claims don't count again. */
  @Column({ type: 'boolean' })
  is_counted: boolean;
}

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
