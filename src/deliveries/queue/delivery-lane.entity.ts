import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TypeORM's name for the index on `account_id, is_slow, available`. */
export const LANES_OF_ACCOUNT = 'IDX_3557153935b29206579a2a2141';

/**
 * Deliveries that share a limit: those of one handler, or an account's Twilio calls. Claiming starts from the lanes that are due,
 * so it never scans one lane's backlog to find another's. The row's lock serializes claims. No foreign key to the account: every
 * claim would lock the account's row.
 */
@Entity('delivery_lanes')
@Index(['is_slow', 'available'])
@Index(['account_id', 'is_slow', 'available'])
export class DeliveryLane {
  @Column({ type: 'int' })
  account_id: number;

  /** See `laneOf`. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  lane: string;

  /** When a claim is worth trying, in milliseconds since 1970; null when nothing is pending. */
  @Column({ type: 'bigint', nullable: true })
  available: number | null;

  /** The receiver asked for no attempt before this time; 0 if it never did. */
  @Column({ type: 'bigint' })
  paused_until: number;

  /** Whether the last attempt took longer than a second. */
  @Column({ type: 'boolean' })
  is_slow: boolean;

  /** Duration of the last attempt; null before the first has ended. */
  @Column({ type: 'int', nullable: true })
  last_ms: number | null;

  /** When the last attempt was claimed. */
  @Column({ type: 'bigint' })
  last_claim: number;
}
