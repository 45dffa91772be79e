import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

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
