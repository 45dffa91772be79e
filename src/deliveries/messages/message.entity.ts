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

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
