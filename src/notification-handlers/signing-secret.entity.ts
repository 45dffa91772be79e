import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../auth/accounts/account-owned';
import { NotificationHandler } from './notification-handler.entity';

/** Signs the requests of a webhook. The current one and, for a day, those that it has replaced. */
@Entity('signing_secrets')
@Index(['account_id', 'id'])
export class SigningSecret extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Index()
  @Column({ type: 'int' })
  handler_id: number;

  /** Of the same account. */
  @ManyToOne(() => NotificationHandler, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'handler_id' })
  handler: NotificationHandler;

  /** Encrypted by SecretsCipher. */
  @Column({ type: 'text' })
  secret: string;

  /** Null for the current one. */
  @Column({ type: 'varchar', length: 19, nullable: true })
  replaced_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
