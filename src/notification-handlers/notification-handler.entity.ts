import { Column, Entity } from 'typeorm';
import { AccountRecord } from '../auth/accounts/account-owned';
import type { ChannelType } from './channels';

@Entity('notification_handlers')
export class NotificationHandler extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  type: ChannelType;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  /** Encrypted by SecretsCipher. */
  @Column({ type: 'text' })
  settings: string;

  @Column({ type: 'boolean' })
  is_enabled = true;
}
