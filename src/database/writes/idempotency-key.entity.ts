import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that was carried out, by the key that its client gave it. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  /** SHA-256 of the account and the key. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  key_hash: string;

  /** Null when it was written by a version that didn't know the column. */
  @Index()
  @Column({ type: 'int', nullable: true })
  account_id: number | null;

  /** Tells a request from another one with the same key; made with the key, which is not kept, so that nobody who can't guess the key finds out what was sent. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  /** The id in the answer. */
  @Column({ type: 'int' })
  record_id: number;

  @Index()
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
