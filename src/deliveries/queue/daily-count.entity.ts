import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Deliveries of an account, handler type and UTC day that count towards the daily limit. */
@Entity('delivery_counts')
export class DailyCount {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  @PrimaryColumn({ type: 'varchar', length: 32 })
  type: string;

  /** `YYYY-MM-DD`. */
  @PrimaryColumn({ type: 'varchar', length: 10 })
  day: string;

  @Column({ type: 'int' })
  number: number;
}
