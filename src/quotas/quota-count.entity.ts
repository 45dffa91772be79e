import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account's use of a quota in the current window. No foreign key: it would lock the account's row. */
@Entity('quota_counts')
export class QuotaCount {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** See `Quota`. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  name: string;

  /** When the window started, in milliseconds since 1970. */
  @Column({ type: 'bigint' })
  started: number;

  @Column({ type: 'int' })
  number: number;
}
