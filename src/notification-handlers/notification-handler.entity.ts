import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned, AccountRecord } from '../auth/accounts/account.entity';
import type { ChannelType } from './channel-settings';

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

/** Signs a webhook's requests. A replaced secret keeps signing for a day. */
@Entity('signing_secrets')
@Index(['account_id', 'id'])
export class SigningSecret extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Index()
  @Column({ type: 'int' })
  handler_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => NotificationHandler, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'handler_id' })
  handler: NotificationHandler;

  /** Encrypted by SecretsCipher. */
  @Column({ type: 'text' })
  secret: string;

  /** Null for the current secret. */
  @Column({ type: 'varchar', length: 19, nullable: true })
  replaced_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
