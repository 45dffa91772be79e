import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned, AccountRecord } from '../auth/accounts/account.entity';
import type { Outcome } from './channels/channel';
import type { DeliveryStatus } from './delivery-status';

/** What a message may wait for. */
export const UNTIL = ['delivered', 'acknowledged'] as const;

export type Until = (typeof UNTIL)[number];

/** How a message ended early: `cancelled` by an API key or an operator; `wait_ended` by an acknowledgement or the delivery of an earlier step. */
export type EndReason = 'cancelled' | 'wait_ended';

/** The message fields that deliveries read. */
export interface DeliveredMessage {
  id: number;
  title: string;
  text: string;
  url: string;
  datetime: string;
  traceparent: string | null;
  event: string | null;
  until: Until | null;
  send_at: number | null;
  expires_at: number | null;
  acknowledged: string | null;
}

/** A message's delivery through one handler. Numeric times are milliseconds since 1970. */
@Entity('deliveries')
@Index(['account_id', 'datetime', 'id', 'status', 'outcome', 'handler_id']) // covers the statistics query
@Index(['lane', 'lease', 'next_attempt'])
@Index(['account_id', 'status'])
@Index(['account_id', 'outcome'])
@Index(['message_id', 'status'])
export class Delivery extends AccountRecord {
  @Column({ type: 'int' })
  message_id: number;

  @ManyToOne('messages', { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'message_id' })
  message: DeliveredMessage;

  /** The handler may have been deleted since. */
  @Index()
  @Column({ type: 'int' })
  handler_id: number;

  /** 0 for the first step, which goes to `handler_ids`; later steps count from 1. */
  @Column({ type: 'int', default: 0 })
  step = 0;

  /** The handler's type when the message was created. */
  @Column({ type: 'varchar', length: 32 })
  type: string;

  /** See `DeliveryLane`. */
  @Column({ type: 'varchar', length: 64 })
  lane: string;

  @Column({ type: 'varchar', length: 16 })
  status: DeliveryStatus;

  /** Attempts claimed so far, except those released without sending. */
  @Column({ type: 'int' })
  attempts: number;

  /** Attempts that have ended since creation or the last manual retry; also the index of the next retry delay. */
  @Column({ type: 'int' })
  tries: number;

  /** When the next attempt is due; unchanged while that is in progress, null once the delivery is finished. */
  @Column({ type: 'bigint', nullable: true })
  next_attempt: number | null;

  /** Token of the queue cycle that claimed the delivery, written before the attempt starts; null while unclaimed. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  lease: string | null;

  /** Whether the attempt may have sent a mail's SMTP DATA. If its lease lapses, the mail may have been accepted, so it isn't resent at once. */
  @Column({ type: 'boolean', default: false })
  has_content = false;

  /** When the lease began or was last renewed; it ends LEASE_MS later. */
  @Column({ type: 'bigint', nullable: true })
  started: number | null;

  /** Whether the delivery has been counted toward the daily limit; later claims don't count it again. */
  @Column({ type: 'boolean' })
  is_counted: boolean;

  /** The outcome of the last attempt that has ended. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  outcome: Outcome | null = null;

  /** `Installation.part` at creation, which goes into the `webhook-id` and a mail's Message-ID. */
  @Column({ type: 'varchar', length: 16 })
  part: string;

  /** The message's `send_at`, or when a later step is due; null once that step has been brought forward. */
  @Column({ type: 'bigint', nullable: true })
  send_at: number | null = null;

  /** Copied from the message; null once finished. */
  @Index()
  @Column({ type: 'bigint', nullable: true })
  expires_at: number | null = null;

  /** How its message ended early, if it did; an attempt in progress at that time is the last. Null if only the handler became unusable. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  cancelled_as: EndReason | null = null;

  /** Id of the API key that cancelled the message; null if an operator did, or if its wait ended. */
  @Column({ type: 'int', nullable: true })
  cancelled_by: number | null = null;

  /** Id of the event that the message reports; null for any other message. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  event_id: string | null = null;

  /** Copied from the message. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  until: Until | null = null;

  /** A `Receipt` as JSON: the most advanced status that Twilio has reported. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  receipt: string | null = null;
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

  /** Counts from 1 within the delivery. The row for an expiry repeats the last attempt's number, or has 0 if there was none. */
  @Column({ type: 'int' })
  number: number;

  /** When the attempt started. */
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
