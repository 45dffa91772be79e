import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned, AccountRecord } from '../auth/accounts/account.entity';

@Entity('campaigns')
@Index(['account_id', 'id'])
export class Campaign extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Column({ type: 'boolean' })
  is_enabled: boolean;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}

@Entity('notifications')
@Index(['account_id', 'name_folded'])
@Index(['account_id', 'type'])
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class Notification extends AccountRecord {
  @Index()
  @Column({ type: 'int' })
  campaign_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => Campaign, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'campaign_id' })
  campaign: Campaign;

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 32 })
  notification_key: string;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Column({ type: 'varchar', length: 384, default: '' })
  name_folded: string;

  @Column({ type: 'varchar', length: 64 })
  type: string;

  @Column({ type: 'simple-json' })
  settings: object;

  @Column({ type: 'boolean' })
  is_enabled: boolean;
}
