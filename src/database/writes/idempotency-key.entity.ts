import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A completed request, found by its Idempotency-Key for a day. */
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

  /** The id to answer a repeated request with. */
  @Column({ type: 'int' })
  record_id: number;

  @Index()
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}
