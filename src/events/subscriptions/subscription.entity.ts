import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NotificationHandler } from '../../notification-handlers/notification-handler.entity';

/** The events that a handler is notified of. */
@Entity('handler_events')
export class HandlerEvents {
  @PrimaryColumn({ type: 'int' })
  handler_id: number;

  @ManyToOne(() => NotificationHandler, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'handler_id' })
  handler: NotificationHandler;

  /** The account that owns the handler. */
  @Index()
  @Column({ type: 'int' })
  account_id: number;

  /** Types and `<noun>.*`, as set by the client. */
  @Column({ type: 'simple-array' })
  types: string[];

  /** The handler is notified of events with a greater number. */
  @Column({ type: 'bigint' })
  since: number;
}

/** The next event to dispatch to an account's handlers. No foreign key to the account: every message would lock the account's row. */
@Entity('event_cursors')
export class EventCursor {
  @PrimaryColumn({ type: 'int' })
  account_id: number;

  /** The next event has this number and at least the id `event_id`, or a greater number. */
  @Column({ type: 'bigint' })
  number: number;

  @Column({ type: 'bigint' })
  event_id: number;
}

/** SQL condition: not yet dispatched to the account's handlers, whose position is the row of `cursors`. */
export const UNDISPATCHED = `events.account_id = cursors.account_id AND events.number >= cursors.number
  AND (events.number > cursors.number OR events.id >= cursors.event_id)`;
