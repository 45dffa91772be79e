import { AccountRecord } from 'frontdesk';
import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { CalendarFeed } from '../feeds/calendar-feed.entity';

/** When to remind of a calendar's appointments. The calendar determines the time zone and the language. */
@Entity('calendar_reminders')
@Index(['account_id', 'datetime'])
@Index(['account_id', 'last_datetime'])
export class AppointmentReminder extends AccountRecord {
  @Index()
  @Column({ type: 'int' })
  calendar_feed_id: number;

  @ManyToOne(() => CalendarFeed, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'calendar_feed_id' })
  calendar_feed: CalendarFeed;

  /** `24h;1h`. MySQL reserves the word `before`. */
  @Column({ type: 'varchar', length: 64 })
  times_before: string;

  /** Null for all of the calendar. */
  @Column({ type: 'int', nullable: true })
  atendente_id: number | null = null;

  /** Null for all of the calendar. */
  @Column({ type: 'int', nullable: true })
  servico_id: number | null = null;
}
