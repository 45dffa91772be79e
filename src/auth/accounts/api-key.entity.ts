import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from './account.entity';

/** An API key; only its SHA-256 is stored. */
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

  /** Comma-separated; for a key with all scopes, those that existed at its creation. */
  @Column({ type: 'varchar', length: 512 })
  scopes: string;

  /** Whether the key has all scopes but `keys:write`, including those of later versions. */
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
