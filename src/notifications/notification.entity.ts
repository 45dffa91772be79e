import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Account } from '../auth/accounts/account.entity';
import { Campaign } from './campaign.entity';

@Entity('notifications')
@Index(['account_id', 'id'])
export class Notification {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Index()
  @Column({ type: 'int' })
  campaign_id: number;

  /** Of the same account. */
  @ManyToOne(() => Campaign, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'campaign_id' })
  campaign: Campaign;

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 32 })
  notification_key: string;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Column({ type: 'varchar', length: 64 })
  type: string;

  /** A JSON object, as text. */
  @Column({ type: 'text' })
  settings: string;

  @Column({ type: 'boolean' })
  is_enabled: boolean;

  @Column({ type: 'varchar', length: 19, nullable: true })
  last_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
