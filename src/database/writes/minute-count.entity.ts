import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How often an account has done something in its current minute. No foreign key: it would lock the account's row. */
@Entity('minute_limits')
export class MinuteCount {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  @PrimaryColumn({ type: 'varchar', length: 32 })
  action: string;

  /** Milliseconds since 1970. */
  @Column({ type: 'bigint' })
  started: number;

  @Column({ type: 'int' })
  number: number;
}
