import { Column, Entity, Index } from 'typeorm';
import { AccountRecord } from '../auth/accounts/account-owned';
import type { ChannelType } from './channels';

@Entity('notification_handlers')
@Index(['account_id', 'name_folded'])
@Index(['account_id', 'type'])
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class NotificationHandler extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  type: ChannelType;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Column({ type: 'varchar', length: 384, default: '' })
  name_folded: string;

  /** Encrypted by SecretsCipher. */
  @Column({ type: 'text' })
  settings: string;

  @Column({ type: 'boolean' })
  is_enabled = true;
}
