import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * How many deliveries there are, per hour of creation. Moved in the transactions that change deliveries. No foreign key: every write would
 * lock the account's row.
 */
@Entity('delivery_statistics')
export class DeliveryStatistic {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** `YYYY-MM-DD HH`. */
  @PrimaryColumn({ type: 'varchar', length: 13 })
  hour: string;

  @PrimaryColumn({ type: 'int' })
  handler_id: number;

  @PrimaryColumn({ type: 'varchar', length: 16 })
  status: string;

  /** Empty before the first attempt has ended. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  outcome: string;

  /** Concurrent transactions count in different rows, so that none waits for another's commit; their sum counts. */
  @PrimaryColumn({ type: 'int' })
  shard: number;

  @Column({ type: 'bigint' })
  number: number;
}
