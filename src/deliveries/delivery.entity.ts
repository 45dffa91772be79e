import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { AccountRecord } from '../auth/accounts/account-owned';
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
