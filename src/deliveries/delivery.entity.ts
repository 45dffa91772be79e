import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { AccountRecord } from '../auth/accounts/account-owned';
import { Message } from './messages/message.entity';

export const STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export type DeliveryStatus = (typeof STATUSES)[number];

/** One message through one handler. Times in milliseconds since 1970, unless they are shown. */
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

  @Column({ type: 'varchar', length: 64 })
  lane: string;

  @Column({ type: 'varchar', length: 16 })
  status: DeliveryStatus;

  /** Attempts begun. */
  @Column({ type: 'int' })
  attempts: number;

  /** Attempts ended since creation or the last retry: the position in the series of waits. */
  @Column({ type: 'int' })
  tries: number;

  /** When it is due; null when finished. */
  @Column({ type: 'bigint', nullable: true })
  next_attempt: number | null;

  /** Token of the turn that claimed it; null while nobody is attempting it. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  lease: string | null;

  /** When the attempt under the lease began; the lease ends LEASE_MS later. */
  @Column({ type: 'bigint', nullable: true })
  begun: number | null;

  /** Whether it has been counted towards the daily limit. */
  @Column({ type: 'boolean' })
  is_counted: boolean;
}
