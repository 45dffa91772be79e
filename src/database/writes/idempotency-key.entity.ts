import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A completed request, kept for 24 hours under its Idempotency-Key. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  /** SHA-256 of the account and the key. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  key_hash: string;

  /** Null in rows written before the column existed. */
  @Index()
  @Column({ type: 'int', nullable: true })
  account_id: number | null;

  /** HMAC of the request under its key. The key itself isn't stored, so the row reveals nothing about the request. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  /** Returned to a repeated request. */
  @Column({ type: 'int' })
  record_id: number;

  @Index()
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
