import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Account } from '../auth/accounts/account.entity';

@Entity('domains')
@Index(['account_id', 'id'])
export class Domain {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column({ type: 'varchar', length: 8 })
  scheme: string;

  /** Unique in the whole service: a host leads to one account. */
  @Index({ unique: true })
  @Column({ type: 'varchar', length: 253 })
  host: string;

  @Column({ type: 'varchar', length: 2048 })
  custom_index_url: string;

  @Column({ type: 'varchar', length: 2048 })
  custom_not_found_url: string;

  @Column({ type: 'boolean' })
  is_enabled: boolean;

  @Column({ type: 'varchar', length: 19, nullable: true })
  last_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
