import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Counts of committed changes per account and list, updated by every write in its own transaction. Account 0 holds changes whose account
 * isn't known. No foreign key: every write would lock the account's row.
 */
@Entity('list_changes')
export class ListChange {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** Table name. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  list: string;

  /** Concurrent transactions count in different rows, so that none waits for another's commit. */
  @PrimaryColumn({ type: 'int' })
  shard: number;

  @Column({ type: 'bigint' })
  inserted: number;

  @Column({ type: 'bigint' })
  deleted: number;

  @Column({ type: 'bigint' })
  updated: number;

  /** Changes of an unknown number of records. */
  @Column({ type: 'bigint' })
  uncounted: number;
}
