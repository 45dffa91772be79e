import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NotificationHandler } from '../../notification-handlers/notification-handler.entity';

/** A replay in progress: a range of the log that is sent to a handler again. Times are `YYYY-MM-DD HH:MM:SS`. */
@Entity('handler_replays')
export class HandlerReplay {
  @PrimaryColumn({ type: 'int' })
  handler_id: number;

  @ManyToOne(() => NotificationHandler, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'handler_id' })
  handler?: NotificationHandler;

  /** The account that owns the handler. */
  @Index()
  @Column({ type: 'int' })
  account_id: number;

  /** The next event has this number and at least the id `event_id`, or a greater number. */
  @Column({ type: 'bigint' })
  number: number;

  @Column({ type: 'bigint' })
  event_id: number;

  /** The first event after the replay has this number and at least this id, or a greater number. */
  @Column({ type: 'bigint' })
  end_number: number;

  @Column({ type: 'bigint' })
  end_event_id: number;

  /** Bounds the replay by time, too: events are numbered in commit order, so a range of positions can include events outside it. */
  @Column({ type: 'varchar', length: 19 })
  min_datetime: string;

  @Column({ type: 'varchar', length: 19 })
  max_datetime: string;

  /** The range as the API returns it. */
  @Column({ type: 'varchar', length: 19 })
  from_datetime: string;

  @Column({ type: 'varchar', length: 19 })
  until_datetime: string;

  /** Events sent so far. */
  @Column({ type: 'int' })
  sent: number;

  /** How many more messages it may send until `share_ends`, if the handler type has a daily limit. */
  @Column({ type: 'int' })
  share: number;

  /** When `share` ends, in milliseconds since 1970; 0 before the first share. */
  @Column({ type: 'bigint' })
  share_ends: number;
}
