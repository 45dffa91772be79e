import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Account } from '../auth/accounts/account.entity';
import type { ChannelType } from './channels';

@Entity('notification_handlers')
@Index(['account_id', 'id'])
export class NotificationHandler {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  account_id: number;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column({ type: 'varchar', length: 32 })
  type: ChannelType;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  /** Encrypted: see SettingsCipher. */
  @Column({ type: 'text' })
  settings: string;

  @Column({ type: 'boolean' })
  is_enabled: boolean;

  @Column({ type: 'varchar', length: 19, nullable: true })
  last_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
