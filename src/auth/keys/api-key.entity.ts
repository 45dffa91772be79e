import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../accounts/account-owned';

/** A key as it is stored: of the key itself only the SHA-256. */
@Entity('api_keys')
@Index(['account_id'])
export class ApiKey extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 128 })
  name: string;

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 64 })
  key_hash: string;

  /** Scope names with commas between: what it has, or the scopes of the day on which a key with all of them was made. */
  @Column({ type: 'varchar', length: 512 })
  scopes: string;

  /** Those of later versions, too. */
  @Column({ type: 'boolean', default: false })
  has_all_scopes: boolean;

  @Column({ type: 'varchar', length: 19, nullable: true })
  expires_datetime: string | null;

  @Column({ type: 'varchar', length: 19, nullable: true })
  last_used_datetime: string | null;

  @Column({ type: 'varchar', length: 19, nullable: true })
  revoked_datetime: string | null;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
