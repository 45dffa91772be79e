import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * How many records a list of an account has lost: what is remembered of it holds as long as this stays the same. No
 * reference to the account, whose row every insert would hold against a deletion.
 */
@Entity('deletions')
export class DeletionCount {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** The name of the table. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  list: string;

  @Column({ type: 'int' })
  number: number;
}
