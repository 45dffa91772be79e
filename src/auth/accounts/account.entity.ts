import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';

// In every entity, a default is an initializer, not a column default: `Records` and repositories insert the same values, and changing one
// takes no migration. A time is a varchar(19); `timestamp()` says why.

/** Owner of records and keys. */
@Entity('accounts')
export class Account {
  @PrimaryGeneratedColumn()
  id: number;

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 128 })
  name: string;

  /** While set, the account's keys are treated as revoked. */
  @Column({ type: 'varchar', length: 19, nullable: true })
  disabled_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}

/** A row of an account; while the row exists, the account can't be deleted. */
export abstract class AccountOwned {
  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;
}

/** A record of an account: listed by id, with the times at which `Records` wrote it. */
@Index(['account_id', 'id'])
export abstract class AccountRecord extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  /** Null before the first update. */
  @Column({ type: 'varchar', length: 19, nullable: true })
  last_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
