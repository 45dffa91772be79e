import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Deliveries that share a limit: those of one handler, or an account's Twilio calls. Claiming starts from the lanes that are due,
 * so it never scans one lane's backlog to find another's. The row's lock serializes claims. No foreign key to the account: every
 * claim would lock the account's row.
 */
@Entity('delivery_lanes')
@Index(['available', 'account_id'])
export class DeliveryLane {
  @Column({ type: 'int' })
  account_id: number;

  /** See `laneOf`. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  lane: string;

  /** When a claim is worth trying, in milliseconds since 1970; null when nothing is pending. */
  @Column({ type: 'bigint', nullable: true })
  available: number | null;

  /** Until when the receiver asked to wait. */
  @Column({ type: 'bigint' })
  paused_until: number;

  /** Whether the last attempt timed out. */
  @Column({ type: 'boolean' })
  is_slow: boolean;

  /** When the last attempt was claimed. */
  @Column({ type: 'bigint' })
  last_claim: number;
}
