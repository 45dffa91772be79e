import { Column, Entity, Index } from 'typeorm';
import { AccountRecord } from '../auth/accounts/account.entity';

@Entity('domains')
@Index(['account_id', 'host'])
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class Domain extends AccountRecord {
  @Column({ type: 'varchar', length: 8 })
  scheme = 'https://';

  /** Unique across all accounts. */
  @Index({ unique: true })
  @Column({ type: 'varchar', length: 253 })
  host: string;

  @Column({ type: 'varchar', length: 2048 })
  custom_index_url = '';

  @Column({ type: 'varchar', length: 2048 })
  custom_not_found_url = '';

  @Column({ type: 'boolean' })
  is_enabled = true;
}
