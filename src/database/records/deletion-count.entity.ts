import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Deletions per account and table: a cached keyset is valid until the number changes. No foreign key to the account:
 * every write would lock the account's row.
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
