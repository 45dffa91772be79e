import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Changes that ids and times don't show: deletions and imports. Cached lists are valid until their number changes. No foreign
 * key to the account: every write would lock the account's row.
 */
@Entity('deletions')
export class DeletionCount {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** Table name. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  list: string;

  @Column({ type: 'int' })
  number: number;
}
