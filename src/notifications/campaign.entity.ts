import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Account } from '../auth/accounts/account.entity';

@Entity('campaigns')
@Index(['account_id', 'id'])
export class Campaign {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Column({ type: 'boolean' })
  is_enabled: boolean;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
