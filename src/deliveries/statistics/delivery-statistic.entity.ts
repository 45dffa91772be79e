import { Column, Entity, PrimaryColumn } from 'typeorm';

export const COUNTER_KINDS = ['status', 'outcome', 'handler'] as const;

export type CounterKind = (typeof COUNTER_KINDS)[number];

/**
 * Counts deliveries per hour of creation: by status, by outcome, and by handler. Counters of combinations took ten times as long to
 * read. Updated in the transactions that change deliveries. No foreign key: every write would lock the account's row.
 */
@Entity('delivery_statistics')
export class DeliveryStatistic {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** Meaning of `value`. */
  @PrimaryColumn({ type: 'varchar', length: 8 })
  kind: CounterKind;

  /** `YYYY-MM-DD HH`. */
  @PrimaryColumn({ type: 'varchar', length: 13 })
  hour: string;

  /** A status, an outcome (empty before the first attempt has ended), or the id of a handler. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  value: string;

  /** Concurrent transactions count in different rows, so that none waits for another's commit. A job merges the rows of past hours. */
  @PrimaryColumn({ type: 'int' })
  shard: number;

  @Column({ type: 'bigint' })
  number: number;
}
