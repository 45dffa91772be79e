import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../auth/accounts/account.entity';
import { fold } from '../platform/common/fold-text';
import type { DeliveredMessage, Until } from '../deliveries/delivery.entity';

/** Who acknowledged a message first, and when. */
export interface FirstAcknowledgement {
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  datetime: string;
  /** The delivery whose link was used; null for an API key or the command line. */
  delivery_id: number | null;
}

export function parseAcknowledgement(json: string | null): FirstAcknowledgement | null {
  return json === null ? null : (JSON.parse(json) as FirstAcknowledgement);
}

/** The text that the filter `text` searches. No filter has a line feed, so none matches across the title's end. */
export function foldContent({ title = '', text }: { title?: string; text: string }): string {
  return fold(`${title}\n${text}`);
}

/** A message is never updated, except to count repeats and to record the acknowledgement. Numeric times are milliseconds since 1970. */
@Entity('messages')
@Index(['account_id', 'datetime'])
@Index(['account_id', 'id'])
export class Message extends AccountOwned implements DeliveredMessage {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 200 })
  title = '';

  @Column({ type: 'text' })
  text: string;

  @Column({ type: 'varchar', length: 2048 })
  url = '';

  /** Header of the request that created the message: https://www.w3.org/TR/trace-context/#traceparent-header */
  @Column({ type: 'varchar', length: 55, nullable: true })
  traceparent: string | null = null;

  /** JSON of the event that a webhook gets instead of the message. */
  @Column({ type: 'text', nullable: true })
  event: string | null = null;

  /** No attempt before this time, if set. */
  @Column({ type: 'bigint', nullable: true })
  send_at: number | null = null;

  /** No attempt from this time on, if set. */
  @Column({ type: 'bigint', nullable: true })
  expires_at: number | null = null;

  /** What the message waits for; null if it doesn't wait. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  until: Until | null = null;

  /** A `FirstAcknowledgement` as JSON. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  acknowledged: string | null = null;

  /** How many later messages with the same `dedup_key` were not created. */
  @Column({ type: 'int', default: 0 })
  repeats = 0;

  @Column({ type: 'varchar', length: 19 })
  datetime: string;

  /** See `foldContent`. Must be the last column: to read one after it, SQLite would follow its overflow pages. */
  @Column({ type: 'text', nullable: true })
  content_folded: string | null = null;
}

/** A `dedup_key` of an account, and the message that later ones with this key repeat. */
@Entity('message_keys')
export class MessageKey {
  /** SHA-256 of the account and the key: a text column would treat keys that differ only in case as equal. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  key_hash: string;

  @Index()
  @Column({ type: 'int' })
  account_id: number;

  /** 0 until a message is created with the key. */
  @Column({ type: 'int' })
  message_id: number;

  /** End of the first message's `dedup_seconds`, in milliseconds since 1970. */
  @Index()
  @Column({ type: 'bigint' })
  until: number;
}
