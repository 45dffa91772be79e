import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';

/** Never updated. */
@Entity('messages')
@Index(['account_id', 'datetime'])
@Index(['account_id', 'id'])
export class Message extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 200 })
  title = '';

  @Column({ type: 'text' })
  text: string;

  @Column({ type: 'varchar', length: 2048 })
  url = '';

  /** Of the request that created it: https://www.w3.org/TR/trace-context/#traceparent-header */
  @Column({ type: 'varchar', length: 55, nullable: true })
  traceparent: string | null = null;

  /** What a webhook gets instead of the message: an event, as JSON. */
  @Column({ type: 'text', nullable: true })
  event: string | null = null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
